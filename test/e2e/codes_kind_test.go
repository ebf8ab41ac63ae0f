package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
)

func TestAnOwnerOfAKindForbiddenToUsIsRefusedUntilTheAdminAllowsIt(t *testing.T) {
	space := governed(t, "codes-kind")
	install(t, "widgets.example.org", "Widget")
	widget := object("example.org/v1", "Widget", space, "thing")
	create(t, widget)
	pod := podOf(space, "part", owner("example.org/v1", "Widget", "thing", widget.GetUID()))
	refused(t, pod, ownerRefusal(403, "Pod codes-kind/part: its owner's kind Widget.example.org may not be read by the affinity webhook; "+
		"have the platform admin add the kind to ClusterRole affinity-webhook-owner-kinds (chart value ownerKinds)"))

	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets-as-owners", Labels: map[string]string{"affinity.cozystack.io/owner-kinds": "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"example.org"}, Resources: []string{"widgets"}, Verbs: []string{"get"}}},
	}
	create(t, role)
	t.Cleanup(func() { remove(t, role) })
	admitted(t, pod)
}

func TestAnOwnerOfAKindThatNobodyServesIsRefused(t *testing.T) {
	space := governed(t, "codes-none")
	pod := podOf(space, "part", owner("nobody.example.org/v1", "Ghost", "thing", "u"))
	refused(t, pod, ownerRefusal(403, "Pod codes-none/part: its owner's kind Ghost.nobody.example.org is not served by this cluster; "+
		"remove the owner reference, or have the platform admin install the kind"))
}

// Whether an aggregated API that is down has the kind, nobody can tell.
func TestAnOwnerThatCannotBeReadNowIsAskedForAgain(t *testing.T) {
	space := governed(t, "codes-down")
	breakAPI(t)
	refused(t, podOf(space, "part", downOwner()), ownerRefusal(503,
		"Pod codes-down/part: its owner, a Thing.down.example.org, could not be read now; this may say nothing about the Pod itself: try again"))
}

func downOwner() metav1.OwnerReference { return owner("down.example.org/v1", "Thing", "thing", "u") }

// breakAPI registers an aggregated API with no server behind it, for the test.
func breakAPI(t *testing.T) {
	t.Helper()
	service := object("apiregistration.k8s.io/v1", "APIService", "", "v1.down.example.org")
	service.Object["spec"] = map[string]any{
		"group": "down.example.org", "version": "v1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
		"insecureSkipTLSVerify": true, "service": map[string]any{"namespace": "default", "name": "nowhere"},
	}
	create(t, service)
	t.Cleanup(func() { remove(t, service) })
	eventually(t, func() error { return served(t, "down.example.org") })
}

// install makes a kind with no schema, named by its plural, "widgets.example.org".
func install(t *testing.T, name, kind string) {
	t.Helper()
	plural, group, _ := strings.Cut(name, ".")
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name)
	crd.Object["spec"] = map[string]any{
		"group": group, "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural},
		"versions": []any{map[string]any{
			"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
		}},
	}
	create(t, crd)
	eventually(t, func() error { return served(t, group) })
}

// served asks the discovery that the server asks too, whether it tells of a group.
func served(t *testing.T, group string) error {
	t.Helper()
	config, err := cp.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	groups, _, failed, err := client.GroupsAndMaybeResources()
	if err != nil {
		return err
	}
	for _, each := range groups.Groups {
		if each.Name == group {
			return nil
		}
	}
	return fmt.Errorf("discovery does not tell of group %s (failed: %v)", group, failed)
}

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}
