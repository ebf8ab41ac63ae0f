package envtest

import (
	"context"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// account is the server's, as config/ has it.
const account = "system:serviceaccount:affinity-system:affinity-webhook"

// releaseWriters may do everything to HelmReleases, as far as roles go: what is
// refused here is refused by the policy.
const releaseWriters = "writers-of-releases"

func confined(t *testing.T) {
	t.Helper()
	c := admin(t)
	for _, o := range installation(t) {
		if strings.HasPrefix(o.GetKind(), "ValidatingAdmissionPolicy") && strings.HasSuffix(o.GetName(), "-release-touch") {
			keep(t, c, o)
		}
	}
	keep(t, c, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: releaseWriters},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"helm.toolkit.fluxcd.io"}, Resources: []string{"helmreleases", "helmreleases/status"}, Verbs: []string{"*"}}},
	})
	keep(t, c, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: releaseWriters},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: releaseWriters},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: releaseWriters}},
	})
	server := as(t, account, releaseWriters)
	deadline := time.Now().Add(30 * time.Second)
	for !beyond(server.Create(t.Context(), helmRelease("probe"), client.DryRunAll)) {
		if time.Now().After(deadline) {
			t.Fatal("the policy is not heeded after 30 s")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// beyond says whether the policy refused: what was done is beyond the account.
func beyond(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "the affinity webhook ")
}

func helmRelease(name string) *unstructured.Unstructured {
	release := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"interval": "5m", "chartRef": map[string]any{"kind": "HelmChart", "name": "web"},
		"values": map[string]any{"replicas": int64(3), "affinityClass": "dc1", "_scheduling": map[string]any{"affinityClass": "dc1"}},
	}}}
	release.SetGroupVersionKind(schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"})
	release.SetNamespace("default")
	release.SetName(name)
	release.SetLabels(map[string]string{"apps.cozystack.io/affinity-class": "dc1", "team": "a"})
	release.SetAnnotations(map[string]string{"affinity.cozystack.io/class": "dc1", "affinity.cozystack.io/class-source": "parent", "note": "n"})
	release.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "1"}})
	release.SetFinalizers([]string{"finalizers.fluxcd.io"})
	return release
}

// Merge patches, with words of the refusal; without them the account may. Keys of one
// map are told in no order: the API server's language cannot sort in every version.
var touches = []struct{ name, patch, refused string }{
	{name: "touches", patch: `{"metadata":{"annotations":{"affinity.cozystack.io/resolve":"now"}}}`},
	{name: "records what admission derives", patch: `{"metadata":{"annotations":{"affinity.cozystack.io/class-source":"default","affinity.cozystack.io/previous-class":"dc1"},"labels":{"apps.cozystack.io/affinity-class":"dc2"}},"spec":{"values":{"_scheduling":{"affinityClass":"dc2","nodeSelector":{"zone":"dc2"}}}}}`},
	{name: "takes back what admission derived", patch: `{"metadata":{"annotations":{"affinity.cozystack.io/class-source":null},"labels":{"apps.cozystack.io/affinity-class":null}},"spec":{"values":{"_scheduling":null}}}`},
	{name: "changes nothing", patch: `{}`},
	{name: "names a class for the user", patch: `{"metadata":{"annotations":{"affinity.cozystack.io/class":"dc2"}}}`, refused: "not metadata.annotations affinity.cozystack.io/class"},
	{name: "switches the injection off", patch: `{"metadata":{"annotations":{"affinity.cozystack.io/inject-values":"false"}}}`, refused: "not metadata.annotations affinity.cozystack.io/inject-values"},
	{name: "removes another annotation", patch: `{"metadata":{"annotations":{"note":null}}}`, refused: "not metadata.annotations note"},
	{name: "removes all annotations", patch: `{"metadata":{"annotations":null}}`, refused: "metadata.annotations note"},
	{name: "changes another label", patch: `{"metadata":{"labels":{"team":"b"}}}`, refused: "not metadata.labels team"},
	{name: "removes all labels", patch: `{"metadata":{"labels":null}}`, refused: "not metadata.labels team"},
	{name: "changes the owners", patch: `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"other","uid":"2"}]}}`, refused: "not metadata.ownerReferences"},
	{name: "removes the owners", patch: `{"metadata":{"ownerReferences":null}}`, refused: "not metadata.ownerReferences"},
	{name: "removes the finalizer", patch: `{"metadata":{"finalizers":null}}`, refused: "not metadata.finalizers"},
	{name: "adds a finalizer", patch: `{"metadata":{"finalizers":["finalizers.fluxcd.io","affinity.cozystack.io/hold"]}}`, refused: "not metadata.finalizers"},
	{name: "suspends", patch: `{"spec":{"suspend":true}}`, refused: "not spec.suspend"},
	{name: "sets another chart", patch: `{"spec":{"chartRef":{"name":"db"}}}`, refused: "not spec.chartRef"},
	{name: "deploys to another cluster", patch: `{"spec":{"kubeConfig":{"secretRef":{"name":"guest"}}}}`, refused: "not spec.kubeConfig"},
	{name: "changes a value", patch: `{"spec":{"values":{"replicas":4}}}`, refused: "not spec.values.replicas"},
	{name: "changes the class", patch: `{"spec":{"values":{"affinityClass":"dc2"}}}`, refused: "not spec.values.affinityClass"},
	{name: "adds a value beside what is derived", patch: `{"spec":{"values":{"_scheduling":null,"image":"i"}}}`, refused: "not spec.values.image"},
	{name: "removes all values", patch: `{"spec":{"values":null}}`, refused: "spec.values.affinityClass"},
	{name: "makes the values a word", patch: `{"spec":{"values":"word"}}`, refused: "not spec.values"},
	{name: "does several things", patch: `{"metadata":{"labels":{"team":"b"}},"spec":{"suspend":true,"values":{"image":"i"}}}`, refused: "not metadata.labels team, spec.suspend, spec.values.image"},
}

func TestTheServerChangesOfAReleaseOnlyWhatIsDerived(t *testing.T) {
	confined(t)
	keep(t, admin(t), releasable(t, "confined"))
	server, somebody := as(t, account, releaseWriters), as(t, "somebody", releaseWriters)
	for _, touch := range touches {
		t.Run(touch.name, func(t *testing.T) {
			patch := client.RawPatch(types.MergePatchType, []byte(touch.patch))
			err := server.Patch(t.Context(), helmRelease("confined"), patch, client.DryRunAll)
			switch {
			case touch.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case touch.refused != "" && (!beyond(err) || !strings.Contains(err.Error(), touch.refused)):
				t.Errorf("the answer is %v, want it to say %q", err, touch.refused)
			}
			if err := somebody.Patch(t.Context(), helmRelease("confined"), patch, client.DryRunAll); err != nil {
				t.Errorf("it concerns others: %v", err)
			}
		})
	}
}

// releasable is a release that can be deleted in the end: without its finalizer.
func releasable(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	t.Cleanup(func() {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		if err := client.IgnoreNotFound(admin(t).Patch(context.Background(), helmRelease(name), patch)); err != nil {
			t.Error(err)
		}
	})
	return helmRelease(name)
}

func TestTheServerFillsWhereNothingWas(t *testing.T) {
	confined(t)
	bare := releasable(t, "bare")
	bare.SetLabels(nil)
	bare.SetAnnotations(nil)
	unstructured.RemoveNestedField(bare.Object, "spec", "values")
	keep(t, admin(t), bare)
	server := as(t, account, releaseWriters)
	derived := `{"metadata":{"annotations":{"affinity.cozystack.io/resolve":"now"},"labels":{"apps.cozystack.io/affinity-class":"dc2"}},"spec":{"values":{"_scheduling":{}}}}`
	for patch, may := range map[string]bool{derived: true, strings.ReplaceAll(derived, "_scheduling", "other"): false} {
		err := server.Patch(t.Context(), helmRelease("bare"), client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)
		if may && err != nil || !may && !beyond(err) {
			t.Errorf("%s is answered with %v", patch, err)
		}
	}
}

func TestTheServerNeitherCreatesNorDeletesNorWritesStatus(t *testing.T) {
	confined(t)
	keep(t, admin(t), releasable(t, "kept"))
	server := as(t, account, releaseWriters)
	status := client.RawPatch(types.MergePatchType, []byte(`{"status":{"observedGeneration":1}}`))
	for what, err := range map[string]error{
		"create":            server.Create(t.Context(), helmRelease("another"), client.DryRunAll),
		"delete":            server.Delete(t.Context(), helmRelease("kept"), client.DryRunAll),
		"delete collection": server.DeleteAllOf(t.Context(), helmRelease("kept"), client.InNamespace("default"), client.DryRunAll),
		"write status":      server.Status().Patch(t.Context(), helmRelease("kept"), status, client.DryRunAll),
	} {
		if !beyond(err) {
			t.Errorf("%s is answered with %v", what, err)
		}
	}
}
