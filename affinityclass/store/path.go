package store

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// livePath reads the Tenants on the path to a namespace; those that do not exist are
// left out.
func (s *Store) livePath(ctx context.Context, since flight.Ticket, namespace string) ([]policy.Tenant, error) {
	var found []policy.Tenant
	for _, key := range tenantsOf(namespace) {
		object, err := s.tenants.Do(ctx, key, since, func(ctx context.Context) (client.Object, error) {
			return s.readTenant(ctx, key)
		})
		switch {
		case absent(err), s.source == FromReleases && meta.IsNoMatchError(err):
			continue
		case err != nil:
			return nil, err
		}
		if tenant, ok := s.source.Read(object); ok {
			found = append(found, tenant)
		}
	}
	return found, nil
}

// tenantsOf names the Tenants that have a say in a namespace, from the root down.
func tenantsOf(namespace string) []client.ObjectKey {
	var keys []client.ObjectKey
	parent := tenantv1.Root
	for _, governed := range tenantv1.Path(namespace) {
		name := tenantv1.RootName
		if governed != tenantv1.Root {
			name = governed[strings.LastIndexByte(governed, '-')+1:]
		}
		keys = append(keys, client.ObjectKey{Namespace: parent, Name: name})
		parent = governed
	}
	return keys
}

func (s *Store) readTenant(ctx context.Context, key client.ObjectKey) (client.Object, error) {
	object := s.source.object()
	key.Name = s.source.objectName(key.Name)
	if err := s.reader.Get(ctx, key, object); err != nil {
		return nil, fmt.Errorf("read Tenant %s: %w", key, err)
	}
	return object, nil
}

// liveNamespace is the snapshot with what the labels of a namespace say now.
func (s *Store) liveNamespace(ctx context.Context, since flight.Ticket, name string, p *policy.Snapshot) (*policy.Snapshot, error) {
	namespace, err := s.namespaces.Do(ctx, name, since, func(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
		namespace := &metav1.PartialObjectMetadata{}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		if err := s.reader.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
			return nil, fmt.Errorf("read Namespace %s: %w", name, err)
		}
		return namespace, nil
	})
	if absent(err) {
		return p.WithoutNamespace(name), nil // a Tenant comes before its namespace
	}
	if err != nil {
		return nil, err
	}
	return s.withNamespace(p, namespace), nil
}
