package store

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// Live is the policy with the named classes alone and all exemptions, read after
// the call began; reviews that ask at once share reads. Where no class is named
// nothing is read. Which namespaces are governed is as the watch last told it. Its
// error is the API server's: a class that is absent is no error but absent from
// the snapshot.
func (s *Store) Live(ctx context.Context, names []string) (*policy.Snapshot, error) {
	if len(names) == 0 {
		return s.Snapshot().Only(nil, nil), nil // no contract, so nothing to be exempt from
	}
	since := flight.Now()
	found, err := s.liveClasses(ctx, since, names)
	if err != nil {
		return nil, err
	}
	exemptions, err := s.exemptions.Do(ctx, struct{}{}, since, s.listExemptions)
	if err != nil {
		return nil, err
	}
	return s.Snapshot().Only(found, exemptions), nil
}

func (s *Store) liveClasses(ctx context.Context, since flight.Ticket, names []string) ([]*v1alpha1.AffinityClass, error) {
	var found []*v1alpha1.AffinityClass
	for _, name := range names {
		class, err := s.classes.Do(ctx, name, since, func(ctx context.Context) (*v1alpha1.AffinityClass, error) {
			return s.readClass(ctx, name)
		})
		switch {
		case absent(err):
		case err != nil:
			return nil, err
		default:
			found = append(found, class)
		}
	}
	return found, nil
}

// absent tells a 404 for the class from a 404 for its kind: where the kind is not
// served nothing is known of the class.
func absent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func (s *Store) readClass(ctx context.Context, name string) (*v1alpha1.AffinityClass, error) {
	class := &v1alpha1.AffinityClass{}
	if err := s.reader.Get(ctx, client.ObjectKey{Name: name}, class); err != nil {
		return nil, fmt.Errorf("read AffinityClass %s: %w", name, err)
	}
	return class, nil
}

func (s *Store) listExemptions(ctx context.Context) ([]v1alpha1.AffinityExemption, error) {
	list := &v1alpha1.AffinityExemptionList{}
	if err := s.reader.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list AffinityExemptions: %w", err)
	}
	return list.Items, nil
}

// Referrers lists the HelmReleases that name the class, live: up to limit of them
// by namespace and name, and how many there are in all. A cluster that serves no
// HelmReleases has none.
func (s *Store) Referrers(ctx context.Context, class string, limit int) (names []string, total int, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmReleaseList"})
	err = s.reader.List(ctx, list, client.MatchingLabels{policy.ClassLabel: class})
	if meta.IsNoMatchError(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list HelmReleases of AffinityClass %s: %w", class, err)
	}
	for _, item := range list.Items {
		names = append(names, "HelmRelease "+item.Namespace+"/"+item.Name)
	}
	slices.Sort(names)
	return names[:min(limit, len(names))], len(names), nil
}
