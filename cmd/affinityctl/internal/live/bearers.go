package live

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Bearers visits what may bear an annotation of Pods, in JSON: the Pods of a
// namespace, of which the metadata is read alone, and its workloads; of every
// namespace when it is empty. What the user may not list is an error, since a
// part must not be taken for the whole.
func (c *Cluster) Bearers(ctx context.Context, namespace string, visit func(placement.Ref, []byte) error) error {
	pods := &metav1.PartialObjectMetadataList{}
	pods.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "PodList"})
	lists := []client.ObjectList{pods}
	for _, kind := range workloads() {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		lists = append(lists, list)
	}
	for _, list := range lists {
		if err := c.bearers(ctx, list, namespace, visit); err != nil {
			return err
		}
	}
	return nil
}

// bearers reads one kind page by page; every page into a copy of the empty list.
func (c *Cluster) bearers(ctx context.Context, empty client.ObjectList, namespace string, visit func(placement.Ref, []byte) error) error {
	of := empty.GetObjectKind().GroupVersionKind()
	of.Kind = strings.TrimSuffix(of.Kind, "List")
	for next, first := "", true; first || next != ""; first = false {
		list, ok := empty.DeepCopyObject().(client.ObjectList)
		if !ok {
			return fmt.Errorf("list %ss: %T is no list", of.Kind, empty)
		}
		if err := c.reader.List(ctx, list, client.InNamespace(namespace), client.Limit(page), client.Continue(next)); err != nil {
			return fmt.Errorf("list %ss: %w", of.Kind, err)
		}
		if err := meta.EachListItem(list, func(o runtime.Object) error { return hand(of, o, visit) }); err != nil {
			return err
		}
		next = list.GetContinue()
	}
	return nil
}

// workloads are the kinds with a Pod template that anybody who may view a
// namespace may list.
func workloads() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Version: "v1", Kind: "ReplicationController"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		{Group: "batch", Version: "v1", Kind: "CronJob"},
	}
}

func hand(kind schema.GroupVersionKind, o runtime.Object, visit func(placement.Ref, []byte) error) error {
	object, ok := o.(metav1.Object)
	if !ok {
		return fmt.Errorf("list %s: %T is no object", kind.Kind, o)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("read %s %s/%s: %w", kind.Kind, object.GetNamespace(), object.GetName(), err)
	}
	version, name := kind.ToAPIVersionAndKind()
	return visit(placement.Ref{APIVersion: version, Kind: name, Namespace: object.GetNamespace(), Name: object.GetName()}, text)
}
