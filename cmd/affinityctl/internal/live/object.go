package live

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage/cluster"
)

// ErrNoKind says that the cluster serves no kind of a name.
var ErrNoKind = errors.New("the cluster serves no such kind")

// Kind finds what a user calls a kind, as kubectl does: pod, pods, po, deployment.apps,
// clusters.postgresql.cnpg.io. It also tells whether the kind has namespaces.
func (c *Cluster) Kind(name string) (schema.GroupVersionKind, bool, error) {
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return schema.GroupVersionKind{}, false, err
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return schema.GroupVersionKind{}, false, fmt.Errorf("ask the cluster for its kinds: %w", err)
	}
	mapper := restmapper.NewShortcutExpander(restmapper.NewDiscoveryRESTMapper(groups), client, nil)
	resource, group, _ := strings.Cut(strings.ToLower(name), ".")
	kind, err := mapper.KindFor(schema.GroupVersionResource{Group: group, Resource: resource})
	if meta.IsNoMatchError(err) {
		return kind, false, fmt.Errorf("%w: %s", ErrNoKind, name)
	}
	if err != nil {
		return kind, false, err
	}
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return kind, false, err
	}
	return kind, mapping.Scope.Name() == meta.RESTScopeNameNamespace, nil
}

// Object reads one object, in JSON. The error is the API server's.
func (c *Cluster) Object(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) ([]byte, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	if err := c.reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind.Kind, name, err)
	}
	return object.MarshalJSON()
}

// Lineage reads hops of this cluster. The share of a namespace is that of the server's
// many askers; here there is one.
func (c *Cluster) Lineage(releases cluster.Releases) (*cluster.Reader, error) {
	return cluster.New(cluster.Options{
		Config: c.config, Releases: releases,
		Share: cluster.Share{QPS: qps, Burst: burst, Concurrency: workers},
	})
}

const workers = 16 // reads of lineage at once
