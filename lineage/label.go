package lineage

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"
)

// label follows the Flux label. It is not evidence: where it names nothing, or
// a release that does not deploy here, the object is as unmanaged as without
// it, and both get one wording. That holds too when the cluster serves no
// HelmReleases at all. Only a read that could not be made is Unknown.
func (w *walk) label(ctx context.Context, object *Object, owners Outcome) Outcome {
	name, labelled := FluxRelease(object)
	if !labelled {
		return w.top(object, owners, WhyNoOwner)
	}
	ref := Ref{GroupKind: HelmRelease, Namespace: name.Namespace, Name: name.Name}
	hop := Hop{Ref: ref, Via: ViaFluxLabel}
	ref.Into = object.Namespace
	read, over := w.read(ctx, ref)
	switch {
	case over:
		return w.broken(hop, BrokenBound)
	case errors.Is(read.err, ErrNotFound), errors.Is(read.err, ErrNoKind):
		return w.top(object, owners, WhyFluxLabel)
	case read.err != nil:
		return w.unknown(hop, read.err)
	case !read.object.DeploysInto(object.Namespace):
		return w.top(object, owners, WhyFluxLabel)
	}
	hop.Object = read.object
	return w.climb(ctx, hop)
}

// top prefers the end of the owners' chain, unless this object's label is the
// more telling reason.
func (w *walk) top(object *Object, owners Outcome, why Why) Outcome {
	if above, ok := owners.(Unmanaged); ok && (why == WhyNoOwner || above.Why != WhyNoOwner) {
		return above
	}
	return Unmanaged{Top: object, Chain: w.chain(), Why: why}
}

// FluxRelease is the release that the Flux labels of an object name; false for an
// object without them, and for none. A label is no evidence: whether the release
// exists, and deploys here, is not asked.
func FluxRelease(object *Object) (types.NamespacedName, bool) {
	if object == nil {
		return types.NamespacedName{}, false
	}
	name := types.NamespacedName{Namespace: object.Labels[LabelFluxNamespace], Name: object.Labels[LabelFluxName]}
	if name.Namespace == "" {
		name.Namespace = object.Namespace
	}
	return name, name.Name != ""
}

// DeploysInto reports whether a release that a label names may deploy into the
// namespace. A cluster-scoped object has none, so no label of it counts.
func (o *Object) DeploysInto(namespace string) bool {
	return o.deploysHere() && namespace != "" &&
		(o.Namespace == namespace || o.Release.TargetNamespace == namespace)
}
