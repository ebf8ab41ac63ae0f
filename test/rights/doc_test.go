// Package rights_test holds what the server may do to what it does: each rule of
// the chart's roles has a call that needs it, is named in the security model, and
// is used on an ordinary day; and no call of that day is refused.
//
// The roles are those of config/rbac, which is the chart rendered with its
// defaults. The day is read from the API server's audit log.
package rights_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cozystack/affinityclass/test/platform"
)

// right is a verb on a resource, "pods" or "jobs.batch", or on one object of it.
type right struct{ verb, resource, name string }

func (r right) String() string {
	if r.name != "" {
		return fmt.Sprintf("%s %s/%s", r.verb, r.resource, r.name)
	}
	return r.verb + " " + r.resource
}

const (
	leases = "leases.coordination.k8s.io"
	lease  = "affinity-webhook.cozystack.io"
	// owners stands for every kind of the chart's value ownerKinds.
	owners = "ownerKinds"
)

// need is a right with the call that needs it.
type need struct {
	right
	call string
}

// needed is every right of the server.
var needed = []need{
	{right{"get", "affinityclasses.cozystack.io", ""}, "the class, read live before a denial"},
	{right{"list", "affinityclasses.cozystack.io", ""}, "the policy snapshot, where the API server does not stream its lists"},
	{right{"watch", "affinityclasses.cozystack.io", ""}, "the policy snapshot"},
	{right{"patch", "affinityclasses.cozystack.io", ""}, "the finalizer of a class in use; there is no narrower right to it"},
	{right{"patch", "affinityclasses/status.cozystack.io", ""}, "what the elected replica observed of a class"},
	{right{"list", "affinityexemptions.cozystack.io", ""}, "the exemptions, read live before a denial; the policy snapshot, where the API server does not stream its lists"},
	{right{"watch", "affinityexemptions.cozystack.io", ""}, "the policy snapshot"},
	{right{"patch", "affinityexemptions/status.cozystack.io", ""}, "whether an exemption is in force, by the elected replica"},
	{right{"get", "tenants.apps.cozystack.io", ""}, "the Tenants on the path to a namespace, read live before a denial"},
	{right{"list", "tenants.apps.cozystack.io", ""}, "the policy snapshot, where the API server does not stream its lists; who refers to a class, or is below a Tenant, that is to be deleted"},
	{right{"watch", "tenants.apps.cozystack.io", ""}, "the policy snapshot"},
	{right{"get", "namespaces", ""}, "the labels of a namespace, read live before a denial"},
	{right{"list", "namespaces", ""}, "which namespaces are governed, where the API server does not stream its lists"},
	{right{"watch", "namespaces", ""}, "which namespaces are governed"},
	{right{"list", "nodes", ""}, "the nodes of a class, counted by the elected replica, and what is placed where, on each, where the API server does not stream its lists; the nodes, listed live before a Pod is denied for its neighbours"},
	{right{"watch", "nodes", ""}, "the nodes of a class, counted by the elected replica, and what is placed where, on each"},
	{right{"list", "pods", ""}, "what is placed where, where the API server does not stream its lists; the bearers of tags, listed live before a Pod is denied for its neighbours"},
	{right{"watch", "pods", ""}, "what is placed where"},
	{right{"get", "helmreleases.helm.toolkit.fluxcd.io", ""}, "the release, read live before a denial or when the cache is behind"},
	{right{"list", "helmreleases.helm.toolkit.fluxcd.io", ""}, "the cache of releases, where the API server does not stream its lists"},
	{right{"watch", "helmreleases.helm.toolkit.fluxcd.io", ""}, "the cache of releases"},
	{right{"patch", "helmreleases.helm.toolkit.fluxcd.io", ""}, "the parts of an application whose class changed, touched by the elected replica"},
	{right{"get", owners, ""}, "a hop of a lineage; metadata alone is asked for"},
	{right{"create", "events", ""}, "a refusal, told to the release and the top owner; a change of a class's condition"},
	{right{"patch", "events", ""}, "the same refusal again: its Event is counted up"},
	{right{"create", "subjectaccessreviews.authorization.k8s.io", ""}, "how much of a preview the user of a dry run is shown; at most two a minute and user"},
	{right{"create", leases, ""}, "the first election; a create cannot be confined to a name"},
	{right{"get", leases, lease}, "an election"},
	{right{"update", leases, lease}, "the elected replica renews, and gives back, its lease"},
}

// roles are the rules of config/rbac by the name of their role.
func roles(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	objects, err := platform.Manifests("config/rbac")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]rbacv1.PolicyRule{}
	for _, object := range objects {
		if kind := object.GetKind(); kind == "ClusterRole" || kind == "Role" {
			found[kind+" "+object.GetName()] = rulesOf(t, object)
		}
	}
	return found
}

func rulesOf(t *testing.T, object *unstructured.Unstructured) []rbacv1.PolicyRule {
	t.Helper()
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
		t.Fatalf("read %s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return role.Rules
}

// rightsOf spells a rule out.
func rightsOf(rule rbacv1.PolicyRule) []right {
	var all []right
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range names {
					all = append(all, right{verb, qualified(resource, group), name})
				}
			}
		}
	}
	return all
}

func qualified(resource, group string) string { return strings.TrimSuffix(resource+"."+group, ".") }

// sorted makes lists that can be compared, without repetitions.
func sorted(rights []right) []string {
	var all []string
	for _, r := range rights {
		all = append(all, r.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}
