// Package check judges every Pod and Pod template of a set of manifests by the
// production decision, package webhook/review.
//
// It reduces documents to requests, so that the text of many need not be held at
// once, and turns verdicts into results; it reads no file and writes no output.
package check

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Input is what a check works on. All of it counts before anything is judged: a
// class or a release may stand below what it governs.
type Input struct {
	Items   []Item              // judged, in this order
	Context []manifest.Document // known, never judged, never listed
	Class   string              // when set, it governs every Pod
}

// Run judges the input. An error says that the question was bad: an object that
// cannot be read, with its file, number and line.
func Run(ctx context.Context, in Input) (*Report, error) {
	known := in.known()
	policies, err := readPolicies(known, in.Class == "")
	if err != nil {
		return nil, err
	}
	c := &checker{
		reviewer: review.New(review.Files(manifest.NewIndex(known...)), review.Fixed{Policy: policies}, review.Options{
			Class: in.Class, Releases: releasesOf(known),
		}),
		policies: policies,
	}
	if err := c.complete(ctx, known); err != nil {
		return nil, err
	}
	for i := range in.Items {
		in.Items[i].document = known[len(in.Context)+i]
	}
	results, err := parallel(ctx, in.Items, c.judge)
	if err != nil {
		return nil, err
	}
	return newReport(results, notes(known)), nil
}

// known are all documents, the context first.
func (in *Input) known() []manifest.Document {
	known := slices.Clone(in.Context)
	for i := range in.Items {
		known = append(known, in.Items[i].document)
	}
	return known
}

// checker judges items. It may be used by many goroutines at once: all that it
// knows is complete before the first is judged.
type checker struct {
	reviewer *review.Reviewer
	policies *policy.Snapshot
}

func (c *checker) judge(ctx context.Context, item *Item) ([]Result, error) {
	if verdict, ok, err := c.ofAdmission(ctx, &item.document); ok || err != nil {
		if err != nil {
			return nil, err
		}
		return []Result{item.result(nil, verdict)}, nil
	}
	if item.unchecked != "" {
		result := item.notChecked()
		result.Source = item.source()
		return []Result{result}, nil
	}
	var results []Result
	for _, request := range item.requests {
		namespace, _ := c.policies.Namespace(request.Namespace)
		request.Mode = namespace.Mode
		verdict := c.reviewer.Pod(ctx, request)
		results = append(results, item.result(request.Template, &verdict))
	}
	return results, nil
}

// notes say what of the input was not applied.
func notes(documents []manifest.Document) []string {
	for i := range documents {
		if documents[i].Object.GroupKind == exemptionKind {
			return []string{"AffinityExemptions are not applied: they go by who creates a Pod, which files do not tell"}
		}
	}
	return nil
}

var (
	pod           = schema.GroupKind{Kind: "Pod"}
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	classKind     = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityClass"}
	tenantKind    = schema.GroupKind{Group: tenantv1.GroupVersion.Group, Kind: "Tenant"}
	exemptionKind = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityExemption"}
)

func at(document *manifest.Document, err error) error {
	return &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
}
