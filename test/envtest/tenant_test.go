package envtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

func tenantOf(name, byDefault string, allowed ...string) *tenantv1.Tenant {
	return &tenantv1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       tenantv1.TenantSpec{AllowedAffinityClasses: allowed, DefaultAffinityClass: byDefault},
	}
}

func classNames(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = strings.Repeat("n", 60) + fmt.Sprintf("%03d", i)
	}
	return names
}

func TestTheAPIServerAndValidateSayTheSameOfTenants(t *testing.T) {
	c := admin(t)
	for _, test := range []verdict{
		{name: "a plain tenant", object: tenantOf("acme", "dc1", "dc1", "dc2")},
		{name: "one without restriction", object: tenantOf("acme", "")},
		{name: "a name that begins with a digit", object: tenantOf("3com", "")},
		{name: "a name of 63 characters", object: tenantOf(strings.Repeat("a", 63), "")},
		{name: "a name of 64 characters", object: tenantOf(strings.Repeat("a", 64), ""), refused: "DNS label without dashes"},
		{name: "a name with a dash", object: tenantOf("acme-web", ""), refused: "DNS label without dashes"},
		{name: "a name with a dot", object: tenantOf("acme.web", ""), refused: "DNS label without dashes"},
		{name: "256 classes with the longest names", object: tenantOf("acme", "", classNames(256)...)},
		{name: "257 classes", object: tenantOf("acme", "", classNames(257)...), refused: "must have at most 256 items"},
		{name: "a class twice", object: tenantOf("acme", "", "dc1", "dc1"), refused: "spec.allowedAffinityClasses[1]: Duplicate"},
		{name: "a pattern", object: tenantOf("acme", "", "dc*"), refused: "every class must be the name of an AffinityClass"},
		{name: "an empty class", object: tenantOf("acme", "", ""), refused: "every class must be the name of an AffinityClass"},
		{name: "a class of 64 characters", object: tenantOf("acme", "", strings.Repeat("a", 64)), refused: "may not be more than 63"},
		{name: "a default in capitals", object: tenantOf("acme", "DC1"), refused: "the default must be the name of an AffinityClass"},
		{name: "a default of 64 characters", object: tenantOf("acme", strings.Repeat("a", 64)), refused: "may not be more than 63"},
	} {
		test.check(t, c)
	}
}

func TestARuleOfTenantsHasTheSameWordsInBoth(t *testing.T) {
	c := admin(t)
	for _, o := range []*tenantv1.Tenant{tenantOf("acme-web", ""), tenantOf("acme", "", "dc*"), tenantOf("acme", "DC1")} {
		var status *apierrors.StatusError
		if got := agree(t, c, o); !errors.As(got, &status) {
			t.Errorf("the answer has no status: %v", got)
			continue
		}
		for _, want := range tenantv1.Validate(o) {
			if !slices.ContainsFunc(status.ErrStatus.Details.Causes, func(cause metav1.StatusCause) bool { return sayTheSame(cause, want) }) {
				t.Errorf("validation says %v\nthe API server says %v", want, status)
			}
		}
	}
}

// An empty list is another policy than none, and what the platform adds is its own.
func TestTheAPIServerKeepsAListAsItIsAndWhatThePlatformAdds(t *testing.T) {
	c := admin(t)
	for name, spec := range map[string]map[string]any{
		"absent":  {"etcd": true, "resourceQuotas": map[string]any{"cpu": "4"}},
		"empty":   {"allowedAffinityClasses": []any{}, "etcd": true},
		"classes": {"allowedAffinityClasses": []any{"dc2", "dc1"}, "defaultAffinityClass": "dc1"},
	} {
		created := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		created.SetGroupVersionKind(tenantv1.GroupVersion.WithKind("Tenant"))
		created.SetNamespace("default")
		created.SetName(name)
		keep(t, c, created)
		stored := &unstructured.Unstructured{Object: map[string]any{}}
		stored.SetGroupVersionKind(created.GroupVersionKind())
		var typed tenantv1.Tenant
		for _, into := range []client.Object{stored, &typed} {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(created), into); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(any(spec), stored.Object["spec"]); diff != "" {
			t.Errorf("%s: the API server keeps (-written +stored):\n%s", name, diff)
		}
		if list := typed.Spec.AllowedAffinityClasses; (list == nil) != (name == "absent") {
			t.Errorf("%s: the list is read as %#v", name, list)
		}
	}
	for name, want := range map[string]map[string]any{
		"absent":  {"Name": "absent", "Allowed": nil, "Default": nil},
		"empty":   {"Name": "empty", "Allowed": "[]", "Default": nil},
		"classes": {"Name": "classes", "Allowed": `["dc2","dc1"]`, "Default": "dc1"},
	} {
		if diff := cmp.Diff(want, printed(t, "/apis/apps.cozystack.io/v1alpha1/namespaces/default/tenants/"+name)); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
	}
}

// As everywhere in Kubernetes, and in the values of a chart.
func TestNullIsAnAbsentList(t *testing.T) {
	null := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"allowedAffinityClasses": nil, "etcd": true}}}
	null.SetGroupVersionKind(tenantv1.GroupVersion.WithKind("Tenant"))
	null.SetNamespace("default")
	null.SetName("null")
	keep(t, admin(t), null)
	if diff := cmp.Diff(any(map[string]any{"etcd": true}), null.Object["spec"]); diff != "" {
		t.Errorf("stored is (-want +got):\n%s", diff)
	}
}
