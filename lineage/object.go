package lineage

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// HelmRelease is the kind that ends a walk.
var HelmRelease = schema.GroupKind{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}

// Object is the metadata of one object: all that a hop ever needs.
type Object struct {
	schema.GroupKind
	Namespace   string // empty for a cluster-scoped object
	Name        string
	UID         types.UID // may be empty in files
	Labels      map[string]string
	Annotations map[string]string
	Owners      []metav1.OwnerReference
	// Release holds what only a HelmRelease has; nil for every other kind.
	Release *Release
}

// Release is what a walk and a review need to know of a HelmRelease beyond its
// metadata.
type Release struct {
	TargetNamespace    string // spec.targetNamespace, empty: the release's own
	Remote             bool   // spec.kubeConfig is set: it deploys to another cluster
	Terminating        bool   // metadata.deletionTimestamp is set
	Generation         int64
	ObservedGeneration int64
	Ready              bool // the Ready condition is True
}

// Settled says whether the release is ready in its present form.
func (r *Release) Settled() bool { return r.Ready && r.ObservedGeneration == r.Generation }

// Ref names an object to read. The namespace is the child's: a Getter uses it
// only when the kind is namespaced.
type Ref struct {
	schema.GroupKind
	Namespace string
	Name      string
	UID       types.UID // empty where the reference has none (a Flux label)
	// Into is set for a release that a Flux label names: it counts only if it
	// deploys into this namespace. A Getter that tells others of what it read must
	// not tell one that does not from one that does not exist.
	Into string
}

// Getter reads one object's metadata. An error that wraps none of the
// sentinels below means "could not tell now".
type Getter interface {
	Get(ctx context.Context, ref Ref) (*Object, error)
}

var (
	// ErrNotFound says that, read live, nothing has that name. Another uid under
	// the name is not an error of the Getter: the walk compares uids itself.
	ErrNotFound = errors.New("not found")
	// ErrForbidden says that we may not read the kind; a person has to extend a role.
	ErrForbidden = errors.New("forbidden")
	// ErrNoKind says that the API server serves no such kind, asked afresh.
	ErrNoKind = errors.New("no such kind")
)
