package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// longest is how long a name, kind or group may be. The API server checks none
// of them in a reference; no object has longer ones.
const longest = 253

var errSecret = fmt.Errorf("%w: Secrets are never read", lineage.ErrForbidden)

// refuse answers, without a call, for references that nothing can have or that
// must not be read.
func refuse(ref lineage.Ref) error {
	switch {
	case ref.GroupKind == schema.GroupKind{Group: corev1.GroupName, Kind: "Secret"}:
		return failed(ref, errSecret)
	case ref.Kind == "" || len(ref.Kind) > longest || len(ref.Group) > longest:
		return fmt.Errorf("read owner: %w", lineage.ErrNoKind)
	case ref.Name == "" || len(ref.Name) > longest || len(content.IsPathSegmentName(ref.Name)) > 0:
		return fmt.Errorf("read owner of kind %s: the name is none: %w", ref.Kind, lineage.ErrNotFound)
	}
	return nil
}

// read makes one live read in the share of the namespace that asks.
func (r *Reader) read(ctx context.Context, asker string, ref lineage.Ref) reading {
	share := r.shares.of(asker)
	found, err := r.kinds.find(ctx, asker, ref.GroupKind)
	if err != nil {
		return reading{err: failed(ref, err), begun: flight.Now()}
	}
	if found.namespaced && ref.Namespace == "" {
		return reading{err: failed(ref, lineage.ErrNotFound), begun: flight.Now()}
	}
	leave, err := share.enter(ctx)
	if err != nil {
		return reading{err: failed(ref, err), begun: flight.Now()}
	}
	defer leave()
	read := r.confirm(ctx, found, ref, r.fetch(ctx, found, ref))
	if isUnserved(read.err) {
		read = r.refetch(ctx, asker, found, ref)
	}
	read.err = classify(ref, read.err)
	r.memo.learn(ref, read)
	return read
}

// refetch reads once more, after the API server said that it does not serve the
// path: the version may have gone, and the object be there in another.
func (r *Reader) refetch(ctx context.Context, asker string, stale resource, ref lineage.Ref) reading {
	found, err := r.kinds.afresh(ctx, asker, ref.GroupKind)
	switch {
	case err != nil:
		return reading{err: err, begun: flight.Now()}
	case found == stale:
		return reading{err: errors.New("the API server lists the kind but does not serve it"), begun: flight.Now()}
	}
	read := r.confirm(ctx, found, ref, r.fetch(ctx, found, ref))
	if isUnserved(read.err) {
		read.err = errors.New("the API server lists the kind but does not serve it")
	}
	return read
}

// fetch makes one GET: of the metadata, or of a whole release, since a walk
// needs more of that.
func (r *Reader) fetch(ctx context.Context, found resource, ref lineage.Ref) reading {
	namespace := ""
	if found.namespaced {
		namespace = ref.Namespace
	}
	read := reading{begun: flight.Now(), at: time.Now()}
	if ref.GroupKind == lineage.HelmRelease {
		whole, err := r.dynamic.Resource(found.GroupVersionResource).Namespace(namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		if read.err = err; err == nil {
			read.object = ReleaseObject(whole)
		}
	} else {
		meta, err := r.metadata.Resource(found.GroupVersionResource).Namespace(namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		if read.err = err; err == nil {
			read.object = lineage.FromMeta(ref.GroupKind, meta)
			delete(read.object.Annotations, corev1.LastAppliedConfigAnnotation)
		}
	}
	r.observer.LiveRead(ref.GroupKind, told(ref, read))
	return read
}

// told is the result that an Observer is told. What is elsewhere is told like
// what is nowhere: metrics have readers too.
func told(ref lineage.Ref, read reading) string {
	if read.object != nil && read.object.Release != nil && isForeign(ref, read.object) {
		return ResultNotFound
	}
	return result(read.err)
}

// isUnserved tells a 404 for the path from a 404 for the object: only the
// second is written by who serves the kind.
func isUnserved(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// classify names the answers that mean something for a walk. All else is "could
// not tell now".
func classify(ref lineage.Ref, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return failed(ref, lineage.ErrNotFound)
	case apierrors.IsForbidden(err):
		return failed(ref, fmt.Errorf("%w: %w", lineage.ErrForbidden, err))
	}
	return failed(ref, err)
}

func result(err error) string {
	switch {
	case err == nil:
		return ResultFound
	case apierrors.IsNotFound(err):
		return ResultNotFound
	case apierrors.IsForbidden(err):
		return ResultForbidden
	}
	return ResultError
}
