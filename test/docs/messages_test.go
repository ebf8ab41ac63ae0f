package docs_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
	"github.com/cozystack/affinityclass/webhook/review"
)

const zone = "topology.kubernetes.io/zone"

// policies are the same from memory and live, unless the live read fails.
type policies struct {
	snapshot *policy.Snapshot
	err      error
}

func (p policies) Current(context.Context, string) (*policy.Snapshot, error) { return p.snapshot, nil }
func (p policies) Live(context.Context, string, []string) (*policy.Snapshot, error) {
	return p.snapshot, p.err
}

func classes() *policy.Snapshot {
	dc1, dc2, empty := &v1alpha1.AffinityClass{}, &v1alpha1.AffinityClass{}, &v1alpha1.AffinityClass{}
	dc1.Name, dc1.Spec.NodeSelector = "dc1", map[string]string{zone: "dc1"}
	dc2.Name, dc2.Spec.NodeSelector = "dc2", map[string]string{zone: "dc2"}
	empty.Name = "empty"
	return policy.New(dc1, dc2, empty)
}

// scene is a state of a cluster in which a Pod is refused.
type scene struct {
	class   string // of release web
	diagram []string
	failing string // kind whose reads fail
	fails   error
	live    error // of reading classes
}

const deployed = "Pod shop/web-7c-x < ReplicaSet web-7c < Deployment web @ shop/web"

func scenes() map[review.Reason]scene {
	chain := []string{deployed}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "cozystack.io", Resource: "affinityclasses"}, "dc1", nil)
	return map[review.Reason]scene{
		review.ContractBroken:  {class: "dc1", diagram: chain},
		review.ClassInvalid:    {class: "empty", diagram: chain},
		review.ClassMalformed:  {class: "Dc_1", diagram: chain},
		review.ClassNotFound:   {class: "dc9", diagram: chain},
		review.ClassesConflict: {class: "dc1", diagram: []string{"Pod shop/web-7c-x <- ReplicaSet web-7c @ shop/web", "Pod shop/web-7c-x <- ReplicaSet db-5f @ shop/db"}},
		review.OwnerBroken:     {class: "dc1", diagram: chain, failing: "ReplicaSet", fails: lineage.ErrNotFound},
		review.OwnerForbidden:  {class: "dc1", diagram: chain, failing: "ReplicaSet", fails: lineage.ErrForbidden},
		review.OwnerUnreadable: {class: "dc1", diagram: chain, failing: "ReplicaSet", fails: fixture.ErrTimeout},
		review.ClassForbidden:  {class: "dc1", diagram: chain, live: forbidden},
		review.ClassUnreadable: {class: "dc1", diagram: chain, live: errors.New("timeout")},
	}
}

func (s scene) verdict() review.Verdict {
	world := fixture.Chain(s.diagram...)
	for _, object := range world.Objects {
		if object.GroupKind == lineage.HelmRelease {
			name := map[string]string{"web": s.class, "db": "dc2"}[object.Name]
			object.Labels = map[string]string{policy.ClassLabel: name, lineage.LabelApplicationGroup: "apps.cozystack.io",
				lineage.LabelApplicationKind: "HTTPCache", lineage.LabelApplicationName: object.Name}
		}
		if object.Kind == s.failing {
			world.Fail(object, s.fails)
		}
	}
	request := &review.Request{Namespace: "shop", Pod: review.Pod{Metadata: review.Metadata{
		Name: "web-7c-x", GenerateName: "web-7c-", OwnerReferences: world.Start.Owners, Labels: world.Start.Labels}}}
	return review.New(review.Files(world), policies{classes(), s.live}, review.Options{}).Pod(context.Background(), request)
}

// declared finds the reasons in the source: what is added there is to be told.
var declared = regexp.MustCompile(`(?m)^\s*(\w+)\s+Reason = "(\w+)"\s+// (\w+) ?(\d*)`)

func TestEveryRefusalIsExplained(t *testing.T) {
	text := read(t, "docs/messages.md")
	found := declared.FindAllStringSubmatch(read(t, "webhook/review/verdict.go"), -1)
	if len(found) < len(scenes()) {
		t.Fatalf("only %d reasons are found in the source", len(found))
	}
	for _, reason := range found {
		scene, played := scenes()[review.Reason(reason[2])]
		switch {
		case reason[4] == "":
			if !strings.Contains(text, "| `"+reason[2]+"` |") {
				t.Errorf("docs/messages.md does not explain %s", reason[2])
			}
		case !played && others()[review.Reason(reason[2])] == nil:
			t.Errorf("nothing is refused here for %s", reason[2])
		case !played:
			explained(t, text, others()[review.Reason(reason[2])](), reason[2])
		default:
			explained(t, text, scene.verdict(), reason[2])
		}
	}
}

// explained wants a heading with the reason and the code, and the message as it is.
func explained(t *testing.T, text string, got review.Verdict, reason string) {
	t.Helper()
	if string(got.Reason) != reason {
		t.Errorf("the scene of %s gives %s: %s", reason, got.Reason, got.Message)
		return
	}
	heading := fmt.Sprintf("### %d %s\n", got.Code, reason)
	_, section, ok := strings.Cut(text, heading)
	section, _, _ = strings.Cut(section, "\n### ")
	if !ok || !strings.Contains(section, "\n"+got.Message+"\n") {
		t.Errorf("docs/messages.md needs under %q\n%s", strings.TrimSpace(heading), got.Message)
	}
}
