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

// Current is the policy as the watches last told it. Of a namespace that they did not
// tell of yet the labels and Tenants are read first: it may be new, and a tenant's.
func (s *Store) Current(ctx context.Context, namespace string) (*policy.Snapshot, error) {
	known := s.Snapshot()
	if _, ok := known.Namespace(namespace); ok {
		return known, nil
	}
	since := flight.Now()
	fresh, err := s.liveNamespace(ctx, since, namespace, known)
	if err != nil {
		return nil, err
	}
	tenants, err := s.livePath(ctx, since, namespace)
	for _, tenant := range tenants {
		fresh = fresh.WithTenant(tenant)
	}
	return fresh, err
}

// Live is the policy with the named classes, those that the Tenants of the namespace
// allow, these Tenants and all exemptions, read after the call began; reviews that ask
// at once share reads. Which other namespaces are governed is as the watch last told
// it. Its error is the API server's: what is absent is no error but absent from the
// snapshot.
func (s *Store) Live(ctx context.Context, namespace string, names []string) (*policy.Snapshot, error) {
	since := flight.Now()
	tenants, err := s.livePath(ctx, since, namespace)
	if err != nil {
		return nil, err
	}
	governed, err := s.liveNamespace(ctx, since, namespace, s.Snapshot())
	if err != nil {
		return nil, err
	}
	tenancy := governed.Only(nil, nil, tenants).Tenancy(namespace)
	if len(names) == 0 && !tenancy.Tenant {
		return governed.Only(nil, nil, tenants), nil // nothing is held there, so nothing to be exempt from
	}
	classes, err := s.liveClasses(ctx, since, asked(names, tenancy))
	if err != nil {
		return nil, err
	}
	exemptions, err := s.exemptions.Do(ctx, struct{}{}, since, s.listExemptions)
	if err != nil {
		return nil, err
	}
	return governed.Only(classes, exemptions, tenants), nil
}

// asked are the classes named, and those that tenants leave; sorted.
func asked(names []string, tenancy *policy.Tenancy) []string {
	all := slices.Concat(names, tenancy.Allowed)
	if tenancy.Default != "" {
		all = append(all, tenancy.Default)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fewClasses is how many classes are read one by one; more are listed at once.
const fewClasses = 8

func (s *Store) liveClasses(ctx context.Context, since flight.Ticket, names []string) ([]*v1alpha1.AffinityClass, error) {
	if len(names) > fewClasses {
		return s.listed(ctx, since, names)
	}
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

func (s *Store) listed(ctx context.Context, since flight.Ticket, names []string) ([]*v1alpha1.AffinityClass, error) {
	all, err := s.allClasses.Do(ctx, struct{}{}, since, func(ctx context.Context) ([]v1alpha1.AffinityClass, error) {
		list := &v1alpha1.AffinityClassList{}
		if err := s.reader.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list AffinityClasses: %w", err)
		}
		return list.Items, nil
	})
	var found []*v1alpha1.AffinityClass
	for i := range all {
		if _, asked := slices.BinarySearch(names, all[i].Name); asked {
			found = append(found, &all[i])
		}
	}
	return found, err
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

// Referrers lists the HelmReleases and Tenants that name the class, live: up to limit
// of them, sorted, and how many there are in all. A cluster that serves no HelmReleases
// has none.
func (s *Store) Referrers(ctx context.Context, class string, limit int) (names []string, total int, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmReleaseList"})
	err = s.reader.List(ctx, list, client.MatchingLabels{policy.ClassLabel: class})
	if err != nil && !meta.IsNoMatchError(err) {
		return nil, 0, fmt.Errorf("list HelmReleases of AffinityClass %s: %w", class, err)
	}
	for _, item := range list.Items {
		names = append(names, "HelmRelease "+item.Namespace+"/"+item.Name)
	}
	tenants, err := s.tenantsThatName(ctx, class)
	if err != nil {
		return nil, 0, err
	}
	slices.Sort(names)
	names = append(names, tenants...)
	return names[:min(limit, len(names))], len(names), nil
}
