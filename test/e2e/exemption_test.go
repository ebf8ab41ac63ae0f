package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// exempt applies an exemption of the admin's guide as it is written there, but
// for the end, which will pass some day.
func exempt(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	object := written(t)["AffinityExemption "+name]
	if _, ends, _ := unstructured.NestedString(object.Object, "spec", "expires"); ends {
		object.Object["spec"].(map[string]any)["expires"] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	}
	if err := world.Apply(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, object) })
	return object
}

// controlledBy makes an object of the release, with its Pod's controller, and a
// Pod that carries no selector.
func controlledBy(t *testing.T, object client.Object, labels map[string]string) *corev1.Pod {
	t.Helper()
	create(t, object)
	kind, err := world.Client.GroupVersionKindFor(object)
	if err != nil {
		t.Fatal(err)
	}
	ref := owner(kind.GroupVersion().String(), kind.Kind, object.GetName(), object.GetUID())
	ref.Controller = new(true)
	pod := podOf(object.GetNamespace(), object.GetName()+"-helper", ref)
	pod.Labels = labels
	return pod
}

func TestTheExemptionsOfTheGuide(t *testing.T) {
	space := governed(t, "exempt")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	install(t, "challenges.acme.cert-manager.io", "Challenge")
	challenge := object("acme.cert-manager.io/v1", "Challenge", space, "web-tls")
	challenge.SetLabels(w.release.flux())
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: w.meta(), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	for _, test := range []struct {
		exemption, creator string
		pod                *corev1.Pod
	}{
		{"disk-importer", "system:serviceaccount:cdi:cdi-sa",
			controlledBy(t, claim, map[string]string{"app": "containerized-data-importer"})},
		{"acme-solver", "system:serviceaccount:cert-manager:cert-manager",
			controlledBy(t, challenge, map[string]string{"acme.cert-manager.io/http01-solver": "true"})},
		{"hotplug", "system:serviceaccount:kubevirt:kubevirt-controller",
			controlledBy(t, w.pod(), map[string]string{"kubevirt.io": "hotplug-disk"})},
	} {
		t.Run(test.exemption, func(t *testing.T) {
			platform, _ := listening(t, test.creator)
			if !contractBroken(t, platform, test.pod) {
				t.Fatal("before it is exempt the Pod is let in")
			}
			reason, _, _ := unstructured.NestedString(exempt(t, test.exemption).Object, "spec", "reason")
			log := openAudit(t)
			// At once: before anything is denied, exemptions are read live.
			if contractBroken(t, platform, test.pod) {
				t.Error("the Pod is refused to the creator that is exempt")
			}
			want := []map[string]string{{"verdict": "Allowed", "reason": "Exempt", "class": "dc1", "release": "exempt/web", "exempt": test.exemption + ": " + reason}}
			if diff := cmp.Diff(want, log.reviewed(t, space)); diff != "" {
				t.Errorf("audit annotations, wanted (-), got (+):\n%s", diff)
			}
			if !contractBroken(t, world.Client, test.pod) {
				t.Error("the Pod is let in for somebody else")
			}
			if !contractBroken(t, platform, deploy(t, release{space, "not-" + test.exemption, "dc1"}).pod()) {
				t.Error("another Pod of the same creator is let in")
			}
		})
	}
}

// contractBroken tries a Pod, as a dry run; it says whether it is refused for its
// class's sake.
func contractBroken(t *testing.T, c client.Client, pod *corev1.Pod) bool {
	t.Helper()
	err := c.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
	if err != nil && !strings.Contains(err.Error(), `AffinityClass "dc1" requires`) {
		t.Fatalf("create Pod %s: %v", pod.Name, err)
	}
	return err != nil
}

// Any Pod of a governed namespace can wear its ServiceAccounts.
func TestAccountsOfGovernedNamespacesAreNeverExempt(t *testing.T) {
	space, free := governed(t, "exempt-governed"), namespace(t, "exempt-free", nil)
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	exemption := exempting("accounts", "system:serviceaccount:"+space+":*", "system:serviceaccount:"+free+":*")
	create(t, exemption)
	t.Cleanup(func() { remove(t, exemption) })
	for creator, want := range map[string]bool{space: true, free: false} {
		c, _ := listening(t, "system:serviceaccount:"+creator+":default")
		if contractBroken(t, c, pod) != want {
			t.Errorf("a ServiceAccount of %s: refused %v, wanted %v", creator, !want, want)
		}
	}
}

func TestAnExemptionEnds(t *testing.T) {
	space := governed(t, "exempt-ends")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	exemption := exempting("ends", "jane")
	end := metav1.NewTime(time.Now().Add(4 * time.Second).Truncate(time.Second))
	exemption.Spec.Expires = &end
	create(t, exemption)
	t.Cleanup(func() { remove(t, exemption) })
	jane, _ := listening(t, "jane")
	if contractBroken(t, jane, pod) && time.Now().Before(end.Time) {
		t.Error("the Pod is refused before the exemption ends")
	}
	awaitActive(t, exemption, metav1.ConditionFalse, "Expired")
	if time.Now().Before(end.Time) {
		t.Error("the exemption expired before its time")
	}
	if !contractBroken(t, jane, pod) {
		t.Error("the Pod is let in after the exemption has expired")
	}
	out, problems, err := kubectl(t, "", "get", "affinityexemptions", "ends", "-o", "wide")
	for _, want := range []string{"CREATOR", "REASON", "EXPIRES", `["jane"]`, "it is a test", end.UTC().Format(time.RFC3339), "False"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("kubectl get affinityexemptions does not show %q: %v\n%s%s", want, err, out, problems)
		}
	}
	end = metav1.NewTime(time.Now().Add(time.Hour))
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"expires":%q}}`, end.UTC().Format(time.RFC3339)))
	if err := world.Client.Patch(t.Context(), exemption, patch); err != nil {
		t.Fatal(err)
	}
	awaitActive(t, exemption, metav1.ConditionTrue, "InForce")
}

func awaitActive(t *testing.T, exemption *v1alpha1.AffinityExemption, status metav1.ConditionStatus, reason string) {
	t.Helper()
	now := &v1alpha1.AffinityExemption{}
	eventually(t, func() error {
		if err := world.Client.Get(context.WithoutCancel(t.Context()), client.ObjectKeyFromObject(exemption), now); err != nil {
			return err
		}
		if c := meta.FindStatusCondition(now.Status.Conditions, "Active"); c == nil || c.Status != status || c.Reason != reason {
			return fmt.Errorf("the condition of AffinityExemption %s is %+v", exemption.Name, c)
		}
		return nil
	})
}

func exempting(name string, usernames ...string) *v1alpha1.AffinityExemption {
	e := &v1alpha1.AffinityExemption{}
	e.Name, e.Spec.Usernames, e.Spec.Reason = name, usernames, "it is a test"
	return e
}
