package reconcile

import (
	"context"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// referring is how many refer to every class, read live.
type referring int

func (r referring) Referrers(context.Context, string, int) ([]string, int, error) {
	return nil, int(r), nil
}

func TestAClassIsHeldWhileAReleaseOrATenantRefersToIt(t *testing.T) {
	class := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "dc1"}}
	class.Spec.NodeSelector = map[string]string{"zone": "dc1"}
	c := fake.NewClientBuilder().WithScheme(newScheme(t)).WithStatusSubresource(class).WithObjects(class).Build()
	usage := NewUsage()
	for _, step := range []struct {
		name             string
		do               func()
		live             referring
		releases, tenant int32
		held             bool
	}{
		{name: "nobody refers to it", do: func() {}},
		{name: "a tenant does", do: func() { usage.SetTenant("tenant-root/acme", []string{"dc1"}) }, tenant: 1, held: true},
		{name: "a release does, too", do: func() { usage.Set("shop/web", "dc1") }, releases: 1, tenant: 1, held: true},
		{name: "the tenant no longer does", do: func() { usage.SetTenant("tenant-root/acme", nil) }, releases: 1, held: true},
		{name: "nobody is counted any more, but one is found", do: func() { usage.Set("shop/web", "") }, live: 1, held: true},
		{name: "nobody is found", do: func() {}},
	} {
		step.do()
		reconciler := &classes{cached: c, writer: c, usage: usage, live: step.live, recorder: record.NewFakeRecorder(10)}
		if _, err := reconciler.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKeyFromObject(class)}); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(class), class); err != nil {
			t.Fatal(err)
		}
		if class.Status.Releases != step.releases || class.Status.Tenants != step.tenant || slices.Contains(class.Finalizers, InUse) != step.held {
			t.Errorf("%s: %d releases, %d tenants, finalizers %v", step.name, class.Status.Releases, class.Status.Tenants, class.Finalizers)
		}
	}
}

func TestAClassThatATenantRefersToOutlivesItsDeletion(t *testing.T) {
	class := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "dc1"}}
	c := fake.NewClientBuilder().WithScheme(newScheme(t)).WithStatusSubresource(class).WithObjects(class).Build()
	usage := NewUsage()
	reconciler := &classes{cached: c, writer: c, usage: usage, live: referring(0), recorder: record.NewFakeRecorder(10)}
	look := func() error {
		t.Helper()
		if _, err := reconciler.Reconcile(t.Context(), ctrlreconcile.Request{NamespacedName: client.ObjectKeyFromObject(class)}); err != nil {
			t.Fatal(err)
		}
		return c.Get(t.Context(), client.ObjectKeyFromObject(class), class)
	}
	usage.SetTenant("tenant-root/acme", []string{"dc1"})
	if err := look(); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	if err := look(); err != nil || class.DeletionTimestamp == nil {
		t.Fatalf("the class is not held: %v", err)
	}
	usage.SetTenant("tenant-root/acme", nil)
	if err := look(); !apierrors.IsNotFound(err) {
		t.Errorf("the class is not let go: %v", err)
	}
}
