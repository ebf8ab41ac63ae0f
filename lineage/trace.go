package lineage

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The bounds of one walk. The API server accepts a Pod with thousands of owner
// references.
const (
	maxHops   = 16 // from the object up to the last hop
	maxReads  = 32 // distinct references read
	maxOthers = 8  // references of one object that are not its controller
)

// Trace walks from the object to its release. It reads each reference once and
// visits each object once; what the outcome means is said at each Outcome.
func Trace(ctx context.Context, object *Object, get Getter) Outcome {
	const usual = 8
	w := &walk{get: get, path: make([]Hop, 0, usual), reads: make([]reading, 0, usual), done: make([]visited, 0, usual)}
	return w.visit(ctx, Hop{Ref: object.ref(), Object: object})
}

// walk is the state of one Trace. Slices, not maps: a walk is short, and a warm
// one should cost next to nothing.
type walk struct {
	get   Getter
	path  []Hop // from the object to where the walk is now
	reads []reading
	done  []visited
}

type reading struct {
	ref    Ref
	object *Object
	err    error
}

// visited remembers the outcome above an object that two branches share.
type visited struct {
	ref     Ref
	depth   int // where in the outcome's chain the object stands
	outcome Outcome
}

// visit gives the outcome of the object at hop.
func (w *walk) visit(ctx context.Context, hop Hop) Outcome {
	ref := hop.Object.ref()
	for _, seen := range w.done {
		if seen.ref == ref {
			return w.rebase(seen, hop)
		}
	}
	depth := len(w.path)
	w.path = append(w.path, hop)
	outcome := w.judge(ctx, hop.Object)
	w.path = w.path[:depth]
	w.done = append(w.done, visited{ref: ref, depth: depth, outcome: outcome})
	return outcome
}

// judge applies the rules in their order: an application's release ends the
// walk, then come the owners, then the Flux label. A release that nothing
// stands above ends it too.
func (w *walk) judge(ctx context.Context, object *Object) Outcome {
	if object.deploysHere() && IsApplication(object) {
		return Resolved{Release: object, Chain: w.chain()}
	}
	outcome := w.owners(ctx, object)
	if isUnmanaged(outcome) {
		outcome = w.label(ctx, object, outcome)
	}
	if isUnmanaged(outcome) && object.deploysHere() {
		return Resolved{Release: object, Chain: w.chain()}
	}
	return outcome
}

// owners follows the controller, and the other references only when the
// controller's chain ends unmanaged. Nil means that there are no references.
func (w *walk) owners(ctx context.Context, object *Object) Outcome {
	controller := slices.IndexFunc(object.Owners, func(owner metav1.OwnerReference) bool {
		return owner.Controller != nil && *owner.Controller
	})
	var outcome Outcome
	if controller >= 0 {
		outcome = w.owner(ctx, object, controller, ViaController)
	}
	if outcome == nil || isUnmanaged(outcome) {
		return w.others(ctx, object, controller, outcome)
	}
	return outcome
}

// others follows the references that are not the controller, in the order
// written. When the ones followed say nothing and more are left, the object is
// over the bound: an owner that nobody looked at is not "no owner".
func (w *walk) others(ctx context.Context, object *Object, controller int, outcome Outcome) Outcome {
	var followed []int
	for i := range object.Owners {
		if i == controller || repeats(object.Owners, followed, i) {
			continue
		}
		if len(followed) == maxOthers {
			if isUnmanaged(outcome) {
				return w.broken(Hop{Ref: ownerRef(object, i), Via: ViaOwner}, BrokenBound)
			}
			break
		}
		followed = append(followed, i)
		outcome = merge(outcome, w.owner(ctx, object, i, ViaOwner))
		if _, unknown := outcome.(Unknown); unknown {
			break
		}
	}
	return outcome
}

// repeats reports whether reference i names what a followed one names.
func repeats(owners []metav1.OwnerReference, followed []int, i int) bool {
	return slices.ContainsFunc(followed, func(earlier int) bool {
		a, b := &owners[earlier], &owners[i]
		return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion
	})
}

// ownerRef drops the version: an old apiVersion names the same object.
func ownerRef(object *Object, i int) Ref {
	owner := &object.Owners[i]
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
	return Ref{GroupKind: kind, Namespace: object.Namespace, Name: owner.Name, UID: owner.UID}
}

// owner follows one reference. Whatever is not the very object it names, by
// uid, breaks the chain.
func (w *walk) owner(ctx context.Context, object *Object, i int, via Via) Outcome {
	hop := Hop{Ref: ownerRef(object, i), Via: via}
	if hop.Ref.Name == "" || hop.Ref.Kind == "" {
		return w.broken(hop, BrokenDangling)
	}
	read, over := w.read(ctx, hop.Ref)
	switch {
	case over:
		return w.broken(hop, BrokenBound)
	case errors.Is(read.err, ErrNotFound):
		return w.broken(hop, BrokenDangling)
	case read.err != nil:
		return w.unknown(hop, read.err)
	case hop.Ref.UID != "" && read.object.UID != "" && hop.Ref.UID != read.object.UID:
		return w.broken(hop, BrokenDangling)
	}
	hop.Object = read.object
	return w.climb(ctx, hop)
}

// climb goes on from a hop that was read and accepted.
func (w *walk) climb(ctx context.Context, hop Hop) Outcome {
	ref := hop.Object.ref()
	for _, below := range w.path {
		if below.Object.ref() == ref {
			return w.broken(hop, BrokenCycle)
		}
	}
	return w.visit(ctx, hop)
}
