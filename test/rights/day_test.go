package rights_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const (
	shop = "tenant-shop"
	zone = "topology.kubernetes.io/zone"
)

// The day: the server starts, is elected, lets Pods in, and refuses others again
// and again. It is the ServiceAccount of the chart, with the chart's roles.
func TestADayNeedsEveryRightAndNoOther(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	cp := controlplane.ForTest(t, controlplane.Options{
		Components: []string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}, Audit: true,
	})
	world, err := platform.Install(t.Context(), cp, platform.Options{Env: []string{listing}})
	if err != nil {
		t.Fatal(err)
	}
	live(t, world)
	rehearse(t, world)
	typeChecked(t, world)
	joinOneThatStreams(t, world)
	var ofOwners []right
	for _, rule := range roles(t)[ownersOfOurs] {
		ofOwners = append(ofOwners, rightsOf(rule)...)
	}
	await(t, func() error { return unused(calls(t, cp), ofOwners) })

	all := calls(t, cp)
	t.Logf("%d calls of the server on that day", len(all))
	for _, call := range all {
		if code := call.ResponseStatus.Code; code == 401 || code == 403 {
			t.Errorf("%s %s was answered with %d: %s", call.Verb, call.RequestURI, code, call.ResponseStatus.Message)
		}
		used := rightOf(call)
		covered := func(n need) bool { return n.covers(used, ofOwners) }
		if used.resource != "" && !slices.ContainsFunc(needed, covered) {
			t.Errorf("%s is a call for which the table has no right", used)
		}
	}
}

// live is what people do on that day: in the end the application moves to another
// class.
func live(t *testing.T, world *platform.Platform) {
	t.Helper()
	for namespace, labels := range map[string]map[string]string{
		tenantv1.Root: nil, shop: {"affinity.cozystack.io/enforce": "deny", policy.TenantLabel: "true"},
	} {
		if err := world.ControlPlane.CreateNamespace(t.Context(), namespace, labels); err != nil {
			t.Fatal(err)
		}
	}
	exemption := &v1alpha1.AffinityExemption{ObjectMeta: metav1.ObjectMeta{Name: "importer"}}
	exemption.Spec = v1alpha1.AffinityExemptionSpec{Usernames: []string{"system:serviceaccount:cdi:importer"}, Reason: "imports disks"}
	for _, object := range []client.Object{
		class("dc1"), class("dc2"), tenant(t), exemption, release(), part(),
		replicaSet("good", map[string]string{zone: "dc1"}), replicaSet("bad", nil),
	} {
		if err := world.Client.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
	await(t, func() error {
		var good appsv1.ReplicaSet
		if err := world.Client.Get(t.Context(), client.ObjectKey{Namespace: shop, Name: "good"}, &good); err != nil {
			return err
		}
		if good.Status.Replicas != *good.Spec.Replicas {
			return fmt.Errorf("%d Pods of ReplicaSet good were let in, wanted %d", good.Status.Replicas, *good.Spec.Replicas)
		}
		return nil
	})
	move(t, world)
}

// rehearse tries a Pod, of which nothing is stored, and one that no node can satisfy.
func rehearse(t *testing.T, world *platform.Platform) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "tried"}}
	pod.Spec = replicaSet("tried", map[string]string{zone: "dc1"}).Spec.Template.Spec
	if err := world.Client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if err := world.Client.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{zone: "dc1"}}}); err != nil {
		t.Fatal(err)
	}
	pod.Annotations = map[string]string{"affinity.cozystack.io/binary": `{"require_with_tag":["web"]}`}
	await(t, func() error {
		if err := world.Client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll); !apierrors.IsConflict(err) {
			return fmt.Errorf("a Pod that no node satisfies: %v", err)
		}
		return nil
	})
}

// move changes the class of the application and waits for its part to follow.
func move(t *testing.T, world *platform.Platform) {
	t.Helper()
	to := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"values":{"affinityClass":"dc2"}}}`))
	if err := world.Client.Patch(t.Context(), release(), to); err != nil {
		t.Fatal(err)
	}
	await(t, func() error {
		moved := part()
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(moved), moved); err != nil {
			return err
		}
		if class := moved.GetLabels()[policy.ClassLabel]; class != "dc2" || moved.GetAnnotations()[policy.ResolveAnnotation] == "" {
			return fmt.Errorf("the part has class %q, and the annotations %v", class, moved.GetAnnotations())
		}
		return nil
	})
}

func class(name string) *v1alpha1.AffinityClass {
	made := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	made.Spec.NodeSelector = map[string]string{zone: name}
	return made
}

// tenant owns the namespace of the day.
func tenant(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&tenantv1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenantv1.Root, Name: "shop"},
		Spec:       tenantv1.TenantSpec{AllowedAffinityClasses: []string{"dc1", "dc2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	made := &unstructured.Unstructured{Object: content}
	made.SetGroupVersionKind(tenantv1.GroupVersion.WithKind("Tenant"))
	return made
}

// listing makes a server list before it watches, as all do where the API server
// does not stream its lists. The first one does: it is elected, and so makes every
// kind of call.
const listing = "KUBE_FEATURE_WatchListClient=false"

// joinOneThatStreams starts another replica, which asks for its lists as a stream.
func joinOneThatStreams(t *testing.T, world *platform.Platform) {
	t.Helper()
	process, err := world.Process("streams-its-lists", platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := world.ControlPlane.Run(t.Context(), process); err != nil {
		t.Fatal(err)
	}
}

func release() *unstructured.Unstructured {
	object := helmRelease("web", map[string]any{"affinityClass": "dc1"})
	object.SetLabels(map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io", lineage.LabelApplicationKind: "Bucket", lineage.LabelApplicationName: "web",
	})
	return object
}

// part is a release that the release deployed.
func part() *unstructured.Unstructured {
	object := helmRelease("web-db", map[string]any{})
	object.SetLabels(map[string]string{lineage.LabelFluxName: "web", lineage.LabelFluxNamespace: shop})
	return object
}

func helmRelease(name string, values map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"namespace": shop, "name": name},
		"spec":     map[string]any{"interval": "5m", "chartRef": map[string]any{"kind": "HelmChart", "name": name}, "values": values},
	}}
}

// replicaSet is of the release; its controller creates the Pods.
func replicaSet(name string, nodes map[string]string) *appsv1.ReplicaSet {
	app, replicas := map[string]string{"app": name}, int32(2)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name, Labels: map[string]string{
			lineage.LabelFluxName: "web", lineage.LabelFluxNamespace: shop,
		}},
		Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app},
				Spec: corev1.PodSpec{NodeSelector: nodes, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}},
	}
}

// calls are the server's, from its start.
func calls(t *testing.T, cp *controlplane.ControlPlane) []auditv1.Event {
	t.Helper()
	events, err := cp.AuditEvents()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(events, func(e auditv1.Event) bool {
		return e.User.Username != platform.Account || e.ResponseStatus == nil
	})
}

// rightOf is the right that a call needs; without a resource for discovery, which
// everybody may ask.
func rightOf(call auditv1.Event) right {
	if call.ObjectRef == nil {
		return right{}
	}
	resource := call.ObjectRef.Resource
	if part := call.ObjectRef.Subresource; part != "" {
		resource += "/" + part
	}
	return right{call.Verb, qualified(resource, call.ObjectRef.APIGroup), call.ObjectRef.Name}
}

// unused is an error while there are rights that no call has needed.
func unused(calls []auditv1.Event, ofOwners []right) error {
	var idle []right
	for _, need := range needed {
		used := func(call auditv1.Event) bool { return need.covers(rightOf(call), ofOwners) }
		if !slices.ContainsFunc(calls, used) {
			idle = append(idle, need.right)
		}
	}
	if len(idle) > 0 {
		return fmt.Errorf("rights that no call has needed: %v", idle)
	}
	return nil
}

// await asks until there is no error left; it is generous, since a busy machine is
// no fault.
func await(t *testing.T, ask func() error) {
	t.Helper()
	const patience = 2 * time.Minute
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}
