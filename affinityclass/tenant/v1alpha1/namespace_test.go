package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

func TestNamespaceNamesWhatATenantOwns(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		parent string
		tenant string
		want   string // none where it is empty
	}{
		{name: "below the root the root is not named", parent: "tenant-root", tenant: "acme", want: "tenant-acme"},
		{name: "below others the parent is", parent: "tenant-acme", tenant: "web", want: "tenant-acme-web"},
		{name: "at any depth", parent: "tenant-acme-web", tenant: "eu", want: "tenant-acme-web-eu"},
		{name: "the root owns the namespace that it is in", parent: "tenant-root", tenant: "root", want: "tenant-root"},
		{name: "root below another tenant is a name as any other", parent: "tenant-acme", tenant: "root", want: "tenant-acme-root"},
		{name: "outside the namespaces of tenants a Tenant owns nothing", parent: "default", tenant: "acme"},
		{name: "the prefix alone is no tenant's namespace", parent: "tenant-", tenant: "acme"},
		{name: "a name with a dash owns nothing", reason: "acme-web in tenant-root would own what web in tenant-acme owns", parent: "tenant-root", tenant: "acme-web"},
		{name: "below what no Tenant owns there is nothing to own", parent: "tenant-root-acme", tenant: "web"},
		{name: "a namespace of 63 characters can be", parent: "tenant-root", tenant: strings.Repeat("a", 56), want: "tenant-" + strings.Repeat("a", 56)},
		{name: "one of 64 cannot", parent: "tenant-root", tenant: strings.Repeat("a", 57)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, owns := v1alpha1.Namespace(test.parent, test.tenant)
			if got != test.want || owns != (test.want != "") {
				t.Errorf("Namespace(%q, %q) = %q, %v, want %q; %s", test.parent, test.tenant, got, owns, test.want, test.reason)
			}
			if path := v1alpha1.Path(got); owns && (len(path) == 0 || path[len(path)-1] != got) {
				t.Errorf("the path to %s is %v", got, path)
			}
		})
	}
}

func TestPathLeadsFromTheRoot(t *testing.T) {
	tests := map[string][]string{
		"tenant-root":                       {"tenant-root"},
		"tenant-acme":                       {"tenant-root", "tenant-acme"},
		"tenant-acme-web":                   {"tenant-root", "tenant-acme", "tenant-acme-web"},
		"tenant-acme-root":                  {"tenant-root", "tenant-acme", "tenant-acme-root"},
		"tenant-root-acme":                  nil,
		"tenant-":                           nil,
		"tenant":                            nil,
		"tenants-acme":                      nil,
		"tenant-acme-":                      nil,
		"tenant-acme--web":                  nil,
		"tenant-Acme":                       nil,
		"":                                  nil,
		"kube-system":                       nil,
		"tenant-" + strings.Repeat("a", 57): nil,
	}
	for namespace, want := range tests {
		if diff := cmp.Diff(want, v1alpha1.Path(namespace)); diff != "" {
			t.Errorf("the path to %q (-want +got):\n%s", namespace, diff)
		}
	}
}
