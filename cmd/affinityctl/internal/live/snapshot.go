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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
)

// Snapshot reads what bears on a placement. A kind that the cluster does not
// serve has no objects; one that the user may not read is an error, for without
// it the answer would be another.
func (c *Cluster) Snapshot(ctx context.Context) (*placement.Snapshot, error) {
	s := placement.NewSnapshot()
	machines := &unstructured.UnstructuredList{}
	machines.SetGroupVersionKind(schema.GroupVersionKind{Group: "kairon.zyvor.dev", Version: "v1alpha1", Kind: "MachineList"})
	for _, list := range []client.ObjectList{
		&corev1.NodeList{}, &corev1.NamespaceList{}, &corev1.PodList{}, &corev1.ResourceQuotaList{},
		&schedulingv1.PriorityClassList{}, &resourcev1.ResourceClaimList{}, &resourcev1.ResourceSliceList{}, machines,
	} {
		if err := c.each(ctx, list, func(o runtime.Object) error { return record(s, o) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Nodes reads the nodes, and the classes they may belong to.
func (c *Cluster) Nodes(ctx context.Context) ([]corev1.Node, []v1alpha1.AffinityClass, error) {
	var nodes []corev1.Node
	var classes []v1alpha1.AffinityClass
	take := func(o runtime.Object) error {
		switch object := o.(type) {
		case *corev1.Node:
			nodes = append(nodes, *object)
		case *v1alpha1.AffinityClass:
			classes = append(classes, *object)
		}
		return nil
	}
	if err := c.each(ctx, &corev1.NodeList{}, take); err != nil {
		return nil, nil, err
	}
	return nodes, classes, c.each(ctx, &v1alpha1.AffinityClassList{}, take)
}

// each reads a list page by page and visits its objects. Every page is decoded
// into a copy of the empty list: what a page leaves out must not be taken from
// the one before.
func (c *Cluster) each(ctx context.Context, empty client.ObjectList, visit func(runtime.Object) error) error {
	return c.pages(ctx, func(next string) (string, error) {
		list, ok := empty.DeepCopyObject().(client.ObjectList)
		if !ok {
			return "", fmt.Errorf("list %T: not a list", empty)
		}
		err := c.reader.List(ctx, list, client.Limit(page), client.Continue(next))
		if meta.IsNoMatchError(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("list %T: %w", list, err)
		}
		return list.GetContinue(), meta.EachListItem(list, visit)
	})
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
	case *unstructured.Unstructured:
		text, err := object.MarshalJSON()
		if err != nil {
			return fmt.Errorf("read Machine %s/%s: %w", object.GetNamespace(), object.GetName(), err)
		}
		return s.SetMachine(text)
	}
	return nil
}
