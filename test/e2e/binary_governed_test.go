package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// tagged is a Deployment's template that bears a tag and asks by a value.
func tagged(d *appsv1.Deployment, tag, value string) *appsv1.Deployment {
	template := &d.Spec.Template
	template.Labels[binaryaffinity.TagPrefix+tag] = ""
	template.Annotations = map[string]string{binaryaffinity.Annotation: value}
	return d
}

// Through admission and all controllers: what a template requires holds for each Pod
// that is made of it, and for those that replace them.
func TestARequirementHoldsForEveryReplacement(t *testing.T) {
	space := governed(t, "bin-replace")
	seed := deploy(t, release{space, "seed", "dc1"}).inZone("dc1")
	bearer := seed.pod()
	bearer.Labels[binaryaffinity.TagPrefix+"web"], bearer.Spec.NodeName = "", "dc1-b"
	create(t, bearer)
	runIn(t, seed, "dc1")

	w := deploy(t, release{space, "client", "dc1"}).inZone("dc1")
	create(t, tagged(w.deployment(2), "client", `{"require_with_tag":["web"]}`))
	for range 2 {
		awaitPods(t, space, w.name, 2)
		runIn(t, w, "dc1")
		for _, pod := range podsOf(t, space, w.name) {
			if pod.Spec.NodeName != "dc1-b" {
				t.Errorf("Pod %s is on %s, away from its neighbour", pod.Name, pod.Spec.NodeName)
			}
			remove(t, &pod)
		}
		eventually(t, func() error { return allNew(t, w) })
	}
	remove(t, w.deployment(0), bearer)
}

// allNew fails while a Pod of the workload is going.
func allNew(t *testing.T, w workload) error {
	t.Helper()
	for _, pod := range podsOf(t, w.release.namespace, w.name) {
		if pod.DeletionTimestamp != nil {
			return fmt.Errorf("Pod %s is still there", pod.Name)
		}
	}
	return nil
}

// The release is told once for each template with weights, however many Pods come of
// it and however often it is scaled.
func TestWeightsAreToldOfOnceForEachTemplate(t *testing.T) {
	space := governed(t, "bin-weights")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	d := tagged(w.deployment(2), "web", `{"web":-5}`)
	create(t, d)
	awaitPods(t, space, w.name, 2)
	runIn(t, w, "dc1")
	before := awaitTold(t, space, 0)
	changed(t, d, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(3)) })
	awaitPods(t, space, w.name, 3)
	runIn(t, w, "dc1")
	if now := toldOfWeights(t, space); before > 1 || now != before {
		t.Errorf("weights were told of %d times, and %d after scaling", before, now)
	}
	for range 2 {
		before = toldAnew(t, d, before)
	}
	changed(t, d, func(d *appsv1.Deployment) {
		d.Spec.Template.Annotations[binaryaffinity.Annotation] = `{"prefer_without_tag":["web"]}`
	})
	awaitPods(t, space, w.name, 3)
	runIn(t, w, "dc1")
	if now := toldOfWeights(t, space); now != before {
		t.Errorf("weights were told of %d times more, after they were gone", now-before)
	}
	remove(t, d)
}

// toldAnew changes the template until the release is told once more: a webhook that
// may be passed over is given a second, which a busy machine may not have.
func toldAnew(t *testing.T, d *appsv1.Deployment, before int32) int32 {
	t.Helper()
	for version := 1; ; version++ {
		changed(t, d, func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations["example.org/version"] = fmt.Sprintf("%d.%d", before, version)
		})
		if now := awaitTold(t, d.Namespace, before); now > before+1 {
			t.Fatalf("weights were told of %d times more for one template", now-before)
		} else if now > before {
			return now
		}
		if version == 9 {
			t.Fatalf("weights in %d templates were not told of", version)
		}
	}
}

// awaitTold is how often the release was told, once that is more than before; Events
// come a moment later, and one that nobody was asked for never does.
func awaitTold(t *testing.T, space string, before int32) int32 {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if now := toldOfWeights(t, space); now > before {
			return now
		}
	}
	return before
}

func changed(t *testing.T, d *appsv1.Deployment, mutate func(*appsv1.Deployment)) {
	t.Helper()
	eventually(t, func() error {
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
			return err
		}
		mutate(d)
		return world.Client.Update(t.Context(), d)
	})
}

// toldOfWeights counts; only the release is told.
func toldOfWeights(t *testing.T, space string) (times int32) {
	t.Helper()
	for _, event := range eventsIn(t, space) {
		if event.Reason != "BinaryWeighted" {
			continue
		}
		times += event.Count
		if event.InvolvedObject.Kind != "HelmRelease" || event.Type != corev1.EventTypeWarning ||
			!strings.HasSuffix(event.Message, `write {"prefer_without_tag":["web"]}`) {
			t.Errorf("an Event on %s: %s %s", event.InvolvedObject.Kind, event.Type, event.Message)
		}
	}
	return times
}
