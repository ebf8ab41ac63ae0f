package check

import (
	"context"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// ofAdmission judges what has rules of its own; false for any other kind.
func (c *checker) ofAdmission(ctx context.Context, document *manifest.Document) (*review.Verdict, bool, error) {
	var verdict review.Verdict
	switch document.Object.GroupKind {
	case classKind:
		class, err := readClass(document)
		if err != nil {
			return nil, false, err
		}
		verdict = c.reviewer.Class(ctx, &review.ClassRequest{Object: class})
	case tenantKind:
		tenant, err := readTenant(document)
		if err != nil {
			return nil, false, err
		}
		verdict = c.reviewer.Tenant(ctx, &review.TenantRequest{Namespace: document.Object.Namespace, Object: tenant})
	case lineage.HelmRelease:
		req, err := releaseRequest(document)
		if err != nil {
			return nil, false, err
		}
		verdict = c.reviewer.Release(ctx, req)
	default:
		return nil, false, nil
	}
	return &verdict, true, nil
}

func releaseRequest(document *manifest.Document) (*review.ReleaseRequest, error) {
	req := &review.ReleaseRequest{Namespace: document.Object.Namespace, Object: &review.HelmRelease{}}
	if err := json.Unmarshal(document.JSON, req.Object); err != nil {
		return nil, at(document, fmt.Errorf("%s: %w", document.Object, err))
	}
	return req, nil
}

// deepest is how many releases may stand above one another: a walk goes no further.
const deepest = 16

// complete gives every release of the documents what the server would give it, those
// that are part of another one after it.
func (c *checker) complete(ctx context.Context, documents []manifest.Document) error {
	for range deepest {
		changed := false
		for i := range documents {
			if documents[i].Object.GroupKind != lineage.HelmRelease {
				continue
			}
			did, err := c.completeOne(ctx, &documents[i])
			if err != nil {
				return err
			}
			changed = changed || did
		}
		if !changed {
			break
		}
	}
	return nil
}

func (c *checker) completeOne(ctx context.Context, document *manifest.Document) (bool, error) {
	req, err := releaseRequest(document)
	if err != nil {
		return false, err
	}
	ops := c.reviewer.CompleteRelease(ctx, req)
	if len(ops) == 0 {
		return false, nil
	}
	if document.JSON, err = applied(document.JSON, ops); err != nil {
		return false, at(document, fmt.Errorf("complete %s: %w", document.Object, err))
	}
	completed, err := releaseRequest(document)
	if err != nil {
		return false, err
	}
	document.Object.Labels, document.Object.Annotations = completed.Object.Metadata.Labels, completed.Object.Metadata.Annotations
	return true, nil
}

// applied is an object in JSON as the server would have changed it.
func applied(object []byte, ops []review.PatchOp) ([]byte, error) {
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	return patch.Apply(object)
}
