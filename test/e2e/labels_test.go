package e2e_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/test/platform"
	"github.com/cozystack/affinityclass/webhook/review"
)

// forged are labels that a user would like to have.
func forged() map[string]string {
	return map[string]string{
		lineage.LabelApplicationGroup: "forged", lineage.LabelApplicationKind: "forged",
		lineage.LabelApplicationName: "forged", policy.ClassLabel: "dc2",
	}
}

func forge(pod *corev1.Pod) *corev1.Pod {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	for key, value := range forged() {
		pod.Labels[key] = value
	}
	return pod
}

func TestLabelsThatAUserForgesAreReplacedOrRemoved(t *testing.T) {
	space := governed(t, "forgery")
	classless := deploy(t, release{namespace: space, name: "free"})
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		want map[string]string
	}{
		{"replaced by those of its release", deploy(t, release{space, "web", "dc1"}).inZone("dc1").pod(), release{space, "web", "dc1"}.derived()},
		{"without a class where the release has none", classless.pod(), classless.release.application()},
		{"removed where no release is known", podOf(space, "bare"), map[string]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := forge(test.pod)
			if err := world.Client.Create(t.Context(), pod, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, derivedOf(pod)); diff != "" {
				t.Errorf("wanted (-), got (+):\n%s", diff)
			}
		})
	}
}

// A webhook that runs after ours may write what it likes: the API server asks us
// again.
func TestLabelsThatALaterWebhookForgesAreReplaced(t *testing.T) {
	space := governed(t, "meddled")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	meddled := startMeddler(t, space)
	eventually(t, func() error {
		pod := w.pod()
		if err := world.Client.Create(t.Context(), pod, client.DryRunAll); err != nil {
			return err
		}
		if diff := cmp.Diff(w.release.derived(), derivedOf(pod)); diff != "" {
			t.Errorf("wanted (-), got (+):\n%s", diff)
		}
		return meddled()
	})
}

func TestApplicationLabelsCanBeLeftToAnotherWebhook(t *testing.T) {
	space := governed(t, "ceded")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	second := *world
	process, err := second.Process("affinity-webhook-ceding", platform.Options{Flags: []string{"--lineage-labels=false"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := cp.Run(t.Context(), process); err != nil {
		t.Fatal(err)
	}
	want := []review.PatchOp{{Op: "add", Path: "/metadata/labels/apps.cozystack.io~1affinity-class", Value: "dc1"}}
	answer := post(t, second.URL+"/mutate-pod", reviewOf(t, forge(w.pod())))
	var got []review.PatchOp
	if err := json.Unmarshal(answer.Patch, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
	if err := cp.Terminate("affinity-webhook-ceding"); err != nil {
		t.Error(err)
	}
}
