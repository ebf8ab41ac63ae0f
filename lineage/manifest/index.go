package manifest

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
)

// Index is a lineage.Getter over documents. What it has not is ErrNotFound:
// files are all there is.
//
// A file does not say which kinds are namespaced. A reference is looked up in
// the child's namespace first, and then, unless the kind is known to be
// namespaced, among the objects whose file gives no namespace.
type Index struct {
	objects map[key][]*lineage.Object
}

type key struct {
	schema.GroupKind
	namespace, name string
}

var _ lineage.Getter = (*Index)(nil)

// NewIndex indexes the documents of any number of files.
func NewIndex(documents ...Document) *Index {
	x := &Index{objects: map[key][]*lineage.Object{}}
	for i := range documents {
		object := documents[i].Object
		x.add(object)
		if documents[i].Defaulted && !namespaced(object.GroupKind) {
			perhaps := *object
			perhaps.Namespace = ""
			x.add(&perhaps)
		}
	}
	return x
}

func (x *Index) add(object *lineage.Object) {
	k := key{object.GroupKind, object.Namespace, object.Name}
	x.objects[k] = append(x.objects[k], object)
}

// Get finds the object. Of several with one name it gives the one with the uid
// asked for, else the last: that is what applying the files in order would leave.
func (x *Index) Get(_ context.Context, ref lineage.Ref) (*lineage.Object, error) {
	found := x.objects[key{ref.GroupKind, ref.Namespace, ref.Name}]
	if len(found) == 0 && !namespaced(ref.GroupKind) {
		found = x.objects[key{ref.GroupKind, "", ref.Name}]
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("read owner %s from files: %w", ref, lineage.ErrNotFound)
	}
	for _, object := range found {
		if ref.UID != "" && object.UID == ref.UID {
			return object, nil
		}
	}
	return found[len(found)-1], nil
}

// namespaced knows the kinds of the built-in workloads and of Flux; of others
// files do not tell.
func namespaced(kind schema.GroupKind) bool {
	switch kind.Group {
	case "apps", "batch", lineage.HelmRelease.Group:
		return true
	case "":
		return !clusterScoped(kind)
	}
	return false
}

// clusterScoped knows the kinds that often share a file with workloads and
// must not get a default namespace.
func clusterScoped(kind schema.GroupKind) bool {
	switch kind.Group {
	case "":
		switch kind.Kind {
		case "Namespace", "Node", "PersistentVolume":
			return true
		}
	case "apiextensions.k8s.io", "admissionregistration.k8s.io", "scheduling.k8s.io":
		return true
	case "storage.k8s.io":
		return kind.Kind == "StorageClass"
	case "rbac.authorization.k8s.io":
		return kind.Kind == "ClusterRole" || kind.Kind == "ClusterRoleBinding"
	case "cozystack.io":
		return kind.Kind == "AffinityClass" || kind.Kind == "AffinityExemption"
	}
	return false
}
