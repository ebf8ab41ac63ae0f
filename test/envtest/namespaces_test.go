package envtest

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	enforce = "affinity.cozystack.io/enforce"
	tenant  = "affinity.cozystack.io/tenant"
	system  = "cozystack.io/system"
	// writers may do everything to namespaces, as far as roles go.
	writers = "writers-of-namespaces"
)

// protected installs the policy and waits until the API server heeds it.
func protected(t *testing.T) {
	t.Helper()
	c := admin(t)
	for _, o := range installation(t) {
		if strings.HasPrefix(o.GetKind(), "ValidatingAdmissionPolicy") {
			keep(t, c, o)
		}
	}
	subject := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: writers}
	keep(t, c, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: writers},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces", "namespaces/status", "namespaces/finalize"}, Verbs: []string{"*"}}},
	})
	keep(t, c, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: writers},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: writers},
		Subjects:   []rbacv1.Subject{subject},
	})
	probe := namespace("probe", map[string]string{enforce: "deny"})
	somebody := as(t, "somebody", writers)
	deadline := time.Now().Add(30 * time.Second)
	for refused(somebody.Create(t.Context(), probe.DeepCopy(), client.DryRunAll)) == nil {
		if time.Now().After(deadline) {
			t.Fatal("the policy is not heeded after 30 s")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// keep creates an object for the time of the test.
func keep(t *testing.T, c client.Client, o client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Delete(context.Background(), o); err != nil {
			t.Error(err)
		}
	})
}

// refused is the error if it is the policy's.
func refused(err error) error {
	if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "decides which Pods are judged") {
		return err
	}
	return nil
}

func namespace(name string, labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

func TestOnlyThoseNamedChangeTheLabelsOfNamespaces(t *testing.T) {
	protected(t)
	root := admin(t)
	people := []struct {
		name  string
		c     client.Client
		named bool
	}{
		{"an administrator", root, true},
		{"a cluster administrator as kubeadm names them", as(t, "kubernetes-admin", "kubeadm:cluster-admins", writers), true},
		{"somebody who may write namespaces", as(t, "somebody", writers), false},
		{"the controller of namespaces", as(t, "system:serviceaccount:kube-system:namespace-controller", writers), false},
	}
	governed := map[string]string{enforce: "deny", tenant: "true", "team": "a"}
	for p, person := range people {
		for w, way := range ways() {
			t.Run(person.name+" "+way.name, func(t *testing.T) {
				name := fmt.Sprintf("labels-%d-%d", p, w)
				current := namespace(name, maps.Clone(governed))
				if way.create == nil {
					if err := root.Create(t.Context(), current); err != nil {
						t.Fatal(err)
					}
				}
				err := way.do(t.Context(), person.c, current)
				if want := way.protected && !person.named; want != (refused(err) != nil) || !want && err != nil {
					t.Errorf("the answer is %v; to be refused by the policy: %v", err, want)
				}
			})
		}
	}
}

// A way is one request that writes a namespace: it creates one with the labels, or
// changes the labels of one through a path ("" is the namespace itself).
type way struct {
	name      string
	protected bool
	create    map[string]string
	path      string
	change    func(labels map[string]string)
}

func ways() []way {
	all := []way{
		{name: "creates one without our labels", create: map[string]string{"team": "a"}},
		{name: "creates one that is governed", create: map[string]string{enforce: "deny"}, protected: true},
		{name: "creates one that calls itself a system's", create: map[string]string{system: "true"}, protected: true},
		{name: "creates one that calls itself a tenant's", create: map[string]string{tenant: "true"}, protected: true},
	}
	for _, path := range []string{"", "status", "finalize"} {
		through := "through namespaces/" + path + " "
		all = append(all,
			way{name: through + "changes another label", path: path, change: set("team", "b")},
			way{name: through + "sets the same mode again", path: path, change: set(enforce, "deny")},
			way{name: through + "changes the mode", path: path, change: set(enforce, "audit"), protected: true},
			way{name: through + "removes the mode", path: path, change: without(enforce), protected: true},
			way{name: through + "removes the tenant", path: path, change: without(tenant), protected: true},
			way{name: through + "removes all labels", path: path, change: func(labels map[string]string) { clear(labels) }, protected: true},
			way{name: through + "sets the exemption of systems", path: path, change: set(system, "true"), protected: true},
		)
	}
	return all
}

func set(key, value string) func(map[string]string) {
	return func(labels map[string]string) { labels[key] = value }
}

func without(key string) func(map[string]string) {
	return func(labels map[string]string) { delete(labels, key) }
}

// do writes the namespace as the client's user, who can do no more than write.
func (w way) do(ctx context.Context, c client.Client, current *corev1.Namespace) error {
	if w.create != nil {
		return c.Create(ctx, namespace(current.Name, w.create))
	}
	w.change(current.Labels)
	if w.path == "" {
		return c.Update(ctx, current)
	}
	return c.SubResource(w.path).Update(ctx, current)
}
