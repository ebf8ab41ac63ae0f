package live

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage"
)

// Owners are the built-in workloads that were listed at once: nearly every Pod has one,
// and a list of many costs as much as a read of one. Of each only what a walk reads is
// kept.
type Owners struct {
	known map[owner]*lineage.Object
}

type owner struct {
	schema.GroupKind
	namespace, name string
}

const mostOwners = 200_000 // kept, of some 400 bytes each; others are read as they come

var errEnough = errors.New("enough owners")

// Owners lists those of a namespace, or of all when it is empty. A kind that the user may
// not list is left out: its objects are read one by one, where that is allowed.
func (c *Cluster) Owners(ctx context.Context, namespace string) (*Owners, error) {
	o := &Owners{known: map[owner]*lineage.Object{}}
	for _, each := range []struct{ group, kind, resource string }{
		{"apps", "ReplicaSet", "replicasets"}, {"apps", "Deployment", "deployments"}, {"apps", "StatefulSet", "statefulsets"},
		{"apps", "DaemonSet", "daemonsets"}, {"batch", "Job", "jobs"}, {"batch", "CronJob", "cronjobs"},
	} {
		of := schema.GroupKind{Group: each.group, Kind: each.kind}
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: each.group, Version: "v1", Kind: each.kind + "List"})
		listed := kind{name: each.resource, empty: list, optional: true, options: []client.ListOption{client.InNamespace(namespace)}}
		err := c.each(ctx, listed, func(object runtime.Object) error { return o.keep(of, object) })
		switch {
		case errors.Is(err, errEnough):
			return o, nil
		case err != nil && !apierrors.IsForbidden(err):
			return nil, err
		}
	}
	return o, nil
}

func (o *Owners) keep(of schema.GroupKind, object runtime.Object) error {
	meta, ok := object.(*metav1.PartialObjectMetadata)
	if !ok {
		return fmt.Errorf("list %ss: %T is not what was asked for", of.Kind, object)
	}
	if len(o.known) == mostOwners {
		return errEnough
	}
	kept := lineage.FromMeta(of, meta)
	kept.Annotations, kept.Labels = nil, fluxLabels(meta.Labels)
	o.known[owner{of, kept.Namespace, kept.Name}] = kept
	return nil
}

// fluxLabels are those by which a walk goes on from a workload.
func fluxLabels(all map[string]string) map[string]string {
	var kept map[string]string
	for _, key := range []string{lineage.LabelFluxName, lineage.LabelFluxNamespace} {
		if value, ok := all[key]; ok {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}

// Owner gives the very object that a reference names; false for one that was not listed,
// or is another by its uid.
func (o *Owners) Owner(ref lineage.Ref) (*lineage.Object, bool) {
	found, ok := o.known[owner{ref.GroupKind, ref.Namespace, ref.Name}]
	return found, ok && ref.UID != "" && found.UID == ref.UID
}
