package live

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
)

// Snapshot reads what bears on a placement. A kind that the cluster does not
// serve has no objects; one that the user may not read is an error, for without
// it the answer would be another.
func (c *Cluster) Snapshot(ctx context.Context) (*placement.Snapshot, error) {
	s := placement.NewSnapshot()
	for _, k := range placing() {
		if err := c.each(ctx, k, func(o runtime.Object) error { return record(s, o) }); err != nil {
			return nil, err
		}
	}
	return s, c.machines(ctx, s)
}

// placing are the kinds that bear on where a Pod can be.
func placing() []kind {
	return []kind{
		nodes(),
		{name: "namespaces", empty: &corev1.NamespaceList{}},
		{name: "pods", empty: &corev1.PodList{}},
		{name: "resourcequotas", empty: &corev1.ResourceQuotaList{}},
		{name: "priorityclasses", empty: &schedulingv1.PriorityClassList{}},
		{name: "resourceclaims", empty: &resourcev1.ResourceClaimList{}, optional: true},
		{name: "resourceslices", empty: &resourcev1.ResourceSliceList{}, optional: true},
		{name: "deviceclasses", empty: &resourcev1.DeviceClassList{}, optional: true},
	}
}

// machines reads Kairon's Machines and their quotas in the version that the cluster
// prefers.
func (c *Cluster) machines(ctx context.Context, s *placement.Snapshot) error {
	for _, each := range []schema.GroupKind{snapshot.Machine(), snapshot.MachineQuota()} {
		served, err := c.mapper.RESTMapping(each)
		if meta.IsNoMatchError(err) {
			continue
		}
		name := each.Kind + "s"
		if err != nil {
			return fmt.Errorf("list %s: %w", name, err)
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(served.GroupVersionKind.GroupVersion().WithKind(each.Kind + "List"))
		err = c.each(ctx, kind{name: name, empty: list, optional: true}, func(o runtime.Object) error { return record(s, o) })
		if err != nil {
			return err
		}
	}
	return nil
}

func record(s *placement.Snapshot, o runtime.Object) error {
	switch object := o.(type) {
	case *corev1.Node:
		s.SetNode(object)
	case *corev1.Namespace:
		s.SetNamespace(object)
	case *corev1.Pod:
		s.SetPod(object)
	case *corev1.ResourceQuota:
		s.SetQuota(object)
	case *schedulingv1.PriorityClass:
		s.SetPriorityClass(snapshot.PriorityClass(object))
	case *resourcev1.ResourceClaim:
		s.SetResourceClaim(object)
	case *resourcev1.ResourceSlice:
		s.SetResourceSlice(object)
	case *resourcev1.DeviceClass:
		s.SetDeviceClass(object)
	case *unstructured.Unstructured:
		text, err := object.MarshalJSON()
		if err == nil {
			err = snapshot.Add(s, object.GroupVersionKind().GroupKind(), text)
		}
		if err != nil {
			return fmt.Errorf("read %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
		}
	}
	return nil
}
