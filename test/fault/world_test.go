package fault_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

const enforce = "affinity.cozystack.io/enforce"

// governed makes a namespace whose Pods are judged, and gives its name back.
func governed(t *testing.T, name string) string {
	t.Helper()
	return namespace(t, name, map[string]string{enforce: "deny"})
}

func namespace(t *testing.T, name string, labels map[string]string) string {
	t.Helper()
	if err := cp.CreateNamespace(t.Context(), name, labels); err != nil {
		t.Fatal(err)
	}
	return name
}

const patience = 90 * time.Second

// eventually asks until there is no error left; it is generous, since a busy
// machine is no fault.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

func do(t *testing.T, act func() error) {
	t.Helper()
	if err := act(); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := world.Client.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

// app is a release and a ReplicaSet of it, which makes no Pods itself.
type app struct {
	namespace, name, class string
	owner                  metav1.OwnerReference
}

// newApp puts an application there, of class dc1.
func newApp(t *testing.T, in, name string) app {
	t.Helper()
	return app{namespace: in, name: name, class: "dc1"}.deployed(t)
}

// deployed puts the application's release there, and a ReplicaSet of its name.
func (a app) deployed(t *testing.T) app {
	t.Helper()
	put(t, a.release())
	return a.under(t, a.name)
}

// under is the application with one more ReplicaSet: an owner that no server has
// read yet.
func (a app) under(t *testing.T, name string) app {
	t.Helper()
	set := a.replicaSet(name)
	put(t, set)
	a.owner = ownerOf(set)
	return a
}

// release is the application's HelmRelease. Nobody renders its chart.
func (a app) release() *unstructured.Unstructured {
	release := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"namespace": a.namespace, "name": a.name},
		"spec":     map[string]any{"interval": "5m", "chartRef": map[string]any{"kind": "HelmChart", "name": "bucket"}},
	}}
	release.SetLabels(map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io", lineage.LabelApplicationKind: "Bucket",
		lineage.LabelApplicationName: a.name, policy.ClassLabel: a.class,
	})
	return release
}

func (a app) flux() map[string]string {
	return map[string]string{lineage.LabelFluxName: a.name, lineage.LabelFluxNamespace: a.namespace}
}

func (a app) replicaSet(name string) *appsv1.ReplicaSet {
	labels := map[string]string{"app": name}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: name, Labels: a.flux()},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec("")},
		},
	}
}

// ownerOf refers to a ReplicaSet, not as the controller, so that none takes the
// Pod for one of its own.
func ownerOf(set *appsv1.ReplicaSet) metav1.OwnerReference {
	return owner("apps/v1", "ReplicaSet", set.Name, set.UID)
}

func owner(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid}
}

// pod is one of the application, which keeps its class or does not.
func (a app) pod(q quality) *corev1.Pod {
	pod := podOf(a.namespace, fmt.Sprintf("%s-%s-", a.name, q), a.owner)
	if q == good {
		pod.Spec = podSpec(a.class)
	}
	return pod
}

// podOf is a Pod under owners that asks for no zone.
func podOf(in, prefix string, owners ...metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: in, GenerateName: prefix, OwnerReferences: owners}, Spec: podSpec(""),
	}
}

func podSpec(in string) corev1.PodSpec {
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}, TerminationGracePeriodSeconds: new(int64(0))}
	if in != "" {
		spec.NodeSelector = map[string]string{zone: in}
	}
	return spec
}

// extraKinds is a role that adds ConfigMaps to the kinds that owners may have.
func extraKinds() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "extra-owner-kinds", Labels: map[string]string{"affinity.cozystack.io/owner-kinds": "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get"}}},
	}
}
