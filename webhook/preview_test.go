package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// oneNode is a cluster of a node in dc1, counting who reads it.
type oneNode struct{ reads *atomic.Int32 }

func (o oneNode) Read(f func(*placement.Snapshot)) bool {
	o.reads.Add(1)
	s := placement.NewSnapshot()
	node := &corev1.Node{}
	node.Name, node.Labels = "n1", map[string]string{"zone": "dc1"}
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("9")}
	s.SetNode(node)
	f(s)
	return true
}

func (oneNode) Live(context.Context, string, []string) (*placement.Snapshot, error) {
	return placement.NewSnapshot(), nil
}

// access lets the administrator see all, and remembers who was asked about.
type access struct{ asked []webhook.User }

func (a *access) MayListCluster(_ context.Context, user webhook.User) bool {
	a.asked = append(a.asked, user)
	return user.Username == "admin"
}

// previewing is a server with previews.
func previewing() (*server, *access, *atomic.Int32) {
	s, a, reads := serve(release), &access{}, &atomic.Int32{}
	class := &v1alpha1.AffinityClass{}
	class.Name, class.Spec.NodeSelector = "dc1", map[string]string{"zone": "dc1"}
	s.config.Reviewer = review.New(review.Files(getter(release)), review.Fixed{Policy: policy.New(class)}, review.Options{State: oneNode{reads}})
	s.config.Access = a
	return s, a, reads
}

const (
	counted = "preview: 1 of 1 nodes"
	named   = "preview: 1 of 1 nodes; n1 (score 0) by LeastLoaded (kube-scheduler may rank otherwise)"
)

func dry(body string) string {
	return strings.Replace(body, `"operation":"CREATE"`, `"operation":"CREATE","dryRun":true`, 1)
}

func as(user, body string) string {
	return strings.Replace(body, `"username":"jane"`, `"username":"`+user+`","uid":"7","extra":{"scopes":["a"]}`, 1)
}

func TestADryRunIsAnsweredWithAPreview(t *testing.T) {
	tests := []struct {
		name   string
		body   string
		reason string
		want   []string
	}{
		{"a dry run by an administrator", as("admin", dry(good())), "who may list all is told all", []string{named}},
		{"a dry run by somebody else", dry(good()), "others are told numbers", []string{counted}},
		{"a real request", good(), "a preview is never on one", nil},
		{"a real request by an administrator", as("admin", good()), "nor does it ask who sent it", nil},
		{"a dry run that is refused", dry(bad()), "where it could land is not the question", nil},
		{"a dry run of an update", strings.Replace(strings.Replace(dry(good()), "CREATE", "UPDATE", 1), `"object":`, `"oldObject":{},"object":`, 1),
			"where the Pod lands was decided", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, a, reads := previewing()
			got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), tt.body))
			if diff := cmp.Diff(tt.want, got.Warnings); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if want := int32(min(1, len(tt.want))); reads.Load() != want {
				t.Errorf("the snapshot was read %d times, want %d", reads.Load(), want)
			}
			if len(tt.want) == 0 && len(a.asked) > 0 {
				t.Errorf("it was asked what %v may see", a.asked)
			}
		})
	}
}

func TestAPreviewChangesNothingElseOfAnAnswer(t *testing.T) {
	for _, body := range []string{dry(good()), dry(bad())} {
		s, _, _ := previewing()
		with := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), body))
		s.config.Access = nil
		without := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), body))
		with.Warnings = nil
		if diff := cmp.Diff(without, with); diff != "" {
			t.Errorf("(-without a preview +with one):\n%s", diff)
		}
	}
}

func TestTheWholeUserIsAskedAbout(t *testing.T) {
	s, a, _ := previewing()
	answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), as("admin", dry(good()))))
	want := []webhook.User{{Username: "admin", UID: "7", Groups: []string{"system:authenticated"}, Extra: map[string][]string{"scopes": {"a"}}}}
	if diff := cmp.Diff(want, a.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWorkloadsArePreviewedToo(t *testing.T) {
	for resource, kind := range map[string]string{
		"apps/deployments": "Deployment", "apps/replicasets": "ReplicaSet", "apps/statefulsets": "StatefulSet", "apps/daemonsets": "DaemonSet", "batch/jobs": "Job",
	} {
		group, plural, _ := strings.Cut(resource, "/")
		body := fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","dryRun":%%t,
"resource":{"group":%q,"version":"v1","resource":%q},"namespace":"shop","operation":"UPDATE","userInfo":{"username":"admin"},
"object":{"apiVersion":"%s/v1","kind":%q,"metadata":{"name":"web"},"spec":{"template":{"metadata":{},"spec":{"containers":[{"name":"c"}]}}}}}}`, group, plural, group, kind)
		s, _, _ := previewing()
		handler := webhook.ValidateWorkload(s.config, policy.Deny)
		previewed := func(dryRun bool) bool {
			got := answer(t, post(t, handler, fmt.Sprintf(body, dryRun)))
			return got.Allowed && slices.ContainsFunc(got.Warnings, func(text string) bool { return strings.HasPrefix(text, "preview: 1 of 1 nodes") })
		}
		if !previewed(true) || previewed(false) {
			t.Errorf("%s: in a dry run a preview: %t, in a real request: %t", kind, previewed(true), previewed(false))
		}
	}
}

// broken is a state that cannot be read without a panic.
type broken struct{ oneNode }

func (broken) Read(func(*placement.Snapshot)) bool { panic("a fault of ours") }

// A dry run that was let in stays so when its preview fails, or comes too late for one.
func TestAPreviewThatIsNotToBeHadChangesNoAnswer(t *testing.T) {
	slow := func(ref lineage.Ref) (*lineage.Object, error) {
		time.Sleep(1100 * time.Millisecond)
		return release(ref)
	}
	tests := []struct {
		name   string
		state  review.State
		get    getter
		want   string
		failed int
	}{
		{"a preview that panics", broken{oneNode{&atomic.Int32{}}}, release, "preview: not to be had: the affinity webhook failed on it", 1},
		{"a review that took most of its time", oneNode{&atomic.Int32{}}, slow, "preview: not to be had now: the review itself took long", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(tt.get)
			class := &v1alpha1.AffinityClass{}
			class.Name, class.Spec.NodeSelector = "dc1", map[string]string{"zone": "dc1"}
			s.config.Reviewer = review.New(review.Files(tt.get), review.Fixed{Policy: policy.New(class)}, review.Options{State: tt.state})
			s.config.Access, s.config.Limits.Deadline = &access{}, 1600*time.Millisecond
			got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), dry(good())))
			if !got.Allowed {
				t.Errorf("the dry run is refused: %v", got.Result)
			}
			if diff := cmp.Diff([]string{tt.want}, got.Warnings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			counted := fmt.Sprintf("# HELP affinity_review_failed_total Requests that were not judged: malformed, too large, overloaded or panicked; and previews that panicked.\n# TYPE affinity_review_failed_total counter\naffinity_review_failed_total{why=\"preview\"} %d\n", tt.failed)
			if err := testutil.GatherAndCompare(s.registry, strings.NewReader(counted), "affinity_review_failed_total"); err != nil {
				t.Error(err)
			}
		})
	}
}
