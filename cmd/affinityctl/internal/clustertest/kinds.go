package clustertest

import (
	"cmp"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage/fixture"
)

// Kind is a kind that is served.
type Kind = fixture.Kind

// kinds are those of package fixture and what else affinityctl reads.
func kinds() []Kind {
	var all []Kind
	for _, kind := range fixture.Kinds() {
		all = append(all, kind)
	}
	for _, row := range []struct {
		group, version, kind, resource string
		clusterScoped                  bool
	}{
		{"", "v1", "Namespace", "namespaces", true},
		{"", "v1", "ResourceQuota", "resourcequotas", false},
		{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", true},
		{"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", false},
		{"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", true},
		{"cozystack.io", "v1alpha1", "AffinityClass", "affinityclasses", true},
		{"cozystack.io", "v1alpha1", "AffinityExemption", "affinityexemptions", true},
		{"apps.cozystack.io", "v1alpha1", "Tenant", "tenants", false},
		{"kairon.zyvor.dev", "v1", "Machine", "machines", false},
		{"kairon.zyvor.dev", "v1", "MachineQuota", "machinequotas", false},
	} {
		gvk := schema.GroupVersionKind{Group: row.group, Version: row.version, Kind: row.kind}
		all = append(all, Kind{GroupVersionKind: gvk, Resource: row.resource, ClusterScoped: row.clusterScoped})
	}
	slices.SortFunc(all, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind)) })
	return all
}

// discovery lists the kinds in the aggregated form.
func (s *Server) discovery(path string) apidiscovery.APIGroupDiscoveryList {
	list := apidiscovery.APIGroupDiscoveryList{}
	list.APIVersion, list.Kind = "apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"
	for _, kind := range s.kinds {
		if (kind.Group == "") != (path == "/api") {
			continue
		}
		if last := len(list.Items) - 1; last < 0 || list.Items[last].Name != kind.Group {
			group := apidiscovery.APIGroupDiscovery{Versions: []apidiscovery.APIVersionDiscovery{{Version: kind.Version, Freshness: "Current"}}}
			group.Name = kind.Group
			list.Items = append(list.Items, group)
		}
		version := &list.Items[len(list.Items)-1].Versions[0]
		version.Resources = append(version.Resources, resourceOf(kind))
	}
	return list
}

func resourceOf(kind Kind) apidiscovery.APIResourceDiscovery {
	scope := apidiscovery.ScopeNamespace
	if kind.ClusterScoped {
		scope = apidiscovery.ScopeCluster
	}
	return apidiscovery.APIResourceDiscovery{
		Resource: kind.Resource, Scope: scope, Verbs: []string{"get", "list", "watch"}, SingularResource: strings.ToLower(kind.Kind),
		ResponseKind: &metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind},
	}
}
