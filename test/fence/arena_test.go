package fence_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

// arena is a tenant's namespace and the user who has every right in it.
type arena struct {
	ctx       context.Context
	namespace string
	user      client.Client
	t         *testing.T
}

// enter makes a tenant, of this list or without one, and its user.
func enter(t *testing.T, name string, allowed []string) *arena {
	t.Helper()
	tenant := &tenantv1.Tenant{ObjectMeta: metav1.ObjectMeta{Namespace: tenantv1.Root, Name: name}}
	tenant.Spec.AllowedAffinityClasses = allowed
	a := &arena{ctx: t.Context(), namespace: "tenant-" + name, t: t}
	config, err := cp.ConfigFor("user-of-"+name, "system:authenticated")
	must(t, err)
	a.user, err = client.New(config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	labels := map[string]string{policy.EnforceLabel: "deny", policy.TenantLabel: "true"}
	must(t, world.Client.Create(a.ctx, tenant))
	must(t, cp.CreateNamespace(a.ctx, a.namespace, labels))
	must(t, world.Client.Create(a.ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "everything"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "user-of-" + name}},
	}))
	a.until("there is a service account", func() error {
		return a.user.Get(a.ctx, client.ObjectKey{Namespace: a.namespace, Name: "default"}, &corev1.ServiceAccount{})
	})
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (a *arena) until(what string, ask func() error) {
	a.t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(a.ctx, 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		last = ask()
		return last == nil, nil
	})
	if err != nil {
		a.t.Fatalf("until %s: %v", what, last)
	}
}

// try makes objects as the user; what is refused is refused.
func (a *arena) try(objects ...client.Object) {
	for _, object := range objects {
		object.SetNamespace(a.namespace)
		if err := a.user.Create(a.ctx, object); err != nil {
			a.t.Logf("%s: %v", a.namespace, err)
		}
	}
}

// change patches an object as the user.
func (a *arena) change(object client.Object, patch client.Patch) {
	object.SetNamespace(a.namespace)
	if err := a.user.Patch(a.ctx, object, patch, how(patch)...); err != nil {
		a.t.Logf("%s: %v", a.namespace, err)
	}
}

// how says who applies, which only a server-side apply has to.
func how(patch client.Patch) []client.PatchOption {
	if patch.Type() == types.ApplyPatchType {
		return []client.PatchOption{client.FieldOwner("attack")}
	}
	return nil
}

// outside are nodes that belong to none of the classes that the tenant may use.
func outside() []*corev1.Node {
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	return []*corev1.Node{
		node("far", map[string]string{zone: "dc3", "rank": "7"}), node("bare", nil), node("odd", map[string]string{zone: "dc9"}),
	}
}

// escaped names a Pod that could run outside; none when there is none.
func (a *arena) escaped() (string, error) {
	var pods corev1.PodList
	if err := world.Client.List(a.ctx, &pods, client.InNamespace(a.namespace)); err != nil {
		return "", err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if len(pod.Spec.SchedulingGates) > 0 {
			continue // it does not run as long as it has them
		}
		for _, node := range outside() {
			if fits, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err == nil && fits {
				return fmt.Sprintf("%s could run on %s", pod.Name, node.Name), nil
			}
		}
	}
	return "", nil
}
