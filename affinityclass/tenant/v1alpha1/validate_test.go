package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

func tenant(name, byDefault string, allowed []string) *v1alpha1.Tenant {
	return &v1alpha1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "tenant-root"},
		Spec:       v1alpha1.TenantSpec{AllowedAffinityClasses: allowed, DefaultAffinityClass: byDefault},
	}
}

func many(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint("dc", i)
	}
	return names
}

func TestValidateNamesEveryFieldThatBreaksARule(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		tenant *v1alpha1.Tenant
		want   []string
	}{
		{name: "a tenant without restriction is good", tenant: tenant("acme", "", nil)},
		{name: "one that may use nothing is good", tenant: tenant("acme", "", []string{})},
		{name: "a name may begin with a digit", tenant: tenant("3com", "", nil)},
		{name: "a name with a dash is refused", reason: "two tenants would own one namespace", tenant: tenant("acme-web", "", nil), want: []string{"metadata.name"}},
		{name: "a name with a dot is no label", tenant: tenant("acme.web", "", nil), want: []string{"metadata.name"}},
		{name: "a name in capitals is no label", tenant: tenant("Acme", "", nil), want: []string{"metadata.name"}},
		{name: "a name of 64 characters is too long", tenant: tenant(strings.Repeat("a", 64), "", nil), want: []string{"metadata.name"}},
		{name: "256 classes are good", tenant: tenant("acme", "", many(256))},
		{name: "257 are too many", tenant: tenant("acme", "", many(257)), want: []string{"spec.allowedAffinityClasses"}},
		{name: "a class twice is a mistake", tenant: tenant("acme", "", []string{"dc1", "dc2", "dc1"}), want: []string{"spec.allowedAffinityClasses[2]"}},
		{name: "a class is no pattern", tenant: tenant("acme", "", []string{"dc*"}), want: []string{"spec.allowedAffinityClasses"}},
		{name: "an empty class is none", tenant: tenant("acme", "", []string{""}), want: []string{"spec.allowedAffinityClasses"}},
		{name: "a class of 64 characters is too long", tenant: tenant("acme", strings.Repeat("a", 64), []string{strings.Repeat("a", 64)}), want: []string{"spec.allowedAffinityClasses", "spec.defaultAffinityClass"}},
		{name: "the default must be a name", tenant: tenant("acme", "Dc1", nil), want: []string{"spec.defaultAffinityClass"}},
		{name: "a default outside the list has its form", reason: "the webhook refuses it, who knows the lists above", tenant: tenant("acme", "dc3", []string{"dc1"})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, err := range v1alpha1.Validate(test.tenant) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("fields that break a rule (-want +got); %s:\n%s", test.reason, diff)
			}
		})
	}
}
