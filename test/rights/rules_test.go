package rights_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/test/controlplane"
)

const (
	ownersRole     = "ClusterRole affinity-webhook-owner-kinds"
	ownersOfOurs   = "ClusterRole affinity-webhook-owner-kinds-known"
	securityModel  = "docs/security.md"
	rightsHeadline = "## What the server may do"
)

func TestEachRuleHasACallThatNeedsIt(t *testing.T) {
	var granted, wanted []right
	for name, rules := range roles(t) {
		for _, rule := range rules {
			if len(rule.NonResourceURLs) > 0 {
				t.Errorf("%s: a rule on paths, which nothing needs: %v", name, rule)
			}
			if name != ownersOfOurs {
				granted = append(granted, rightsOf(rule)...)
			}
		}
	}
	for _, need := range needed {
		if need.resource != owners {
			wanted = append(wanted, need.right)
		}
		if need.call == "" {
			t.Errorf("%s: no call is said to need it", need)
		}
	}
	if diff := cmp.Diff(sorted(wanted), sorted(granted)); diff != "" {
		t.Errorf("rights of the server (-needed by a call +granted):\n%s", diff)
	}
}

// Owners may be read one by one: listing would tell of objects that own no Pod.
func TestOwnersAreOnlyGot(t *testing.T) {
	all := roles(t)
	if rules := all[ownersRole]; len(rules) != 0 {
		t.Errorf("%s is filled by aggregation, and has rules of its own: %v", ownersRole, rules)
	}
	var granted, wanted []right
	for _, rule := range all[ownersOfOurs] {
		granted = append(granted, rightsOf(rule)...)
	}
	for _, kinds := range ownerKinds(t) {
		kinds.Verbs = []string{"get"}
		wanted = append(wanted, rightsOf(kinds)...)
	}
	if diff := cmp.Diff(sorted(wanted), sorted(granted)); diff != "" {
		t.Errorf("rights on owners (-get of the value ownerKinds +granted):\n%s", diff)
	}
	for _, r := range granted {
		if strings.Contains(r.resource, "*") || r.resource == "secrets" {
			t.Errorf("%s is granted", r)
		}
	}
}

// ownerKinds is the chart's default, as rules without verbs.
func ownerKinds(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	var values struct {
		OwnerKinds []struct {
			Group     string
			Resources []string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "charts/affinity-webhook/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	if len(values.OwnerKinds) == 0 {
		t.Fatal("the chart's values have no ownerKinds")
	}
	var rules []rbacv1.PolicyRule
	for _, kinds := range values.OwnerKinds {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{kinds.Group}, Resources: kinds.Resources})
	}
	return rules
}

// covers tells whether a call rests on this right.
func (n need) covers(used right, ofOwners []right) bool {
	if n.resource == owners {
		return slices.Contains(ofOwners, right{used.verb, used.resource, ""})
	}
	return n.verb == used.verb && n.resource == used.resource && (n.name == "" || n.name == used.name)
}

// A row of the security model: verb, resource, name of the object, call.
var row = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([^`]+)`(?: `([^`]+)`)? \\| ([^|]+) \\|$")

func TestTheSecurityModelNamesEachRightAndItsCall(t *testing.T) {
	_, section, found := strings.Cut(read(t, securityModel), rightsHeadline)
	if !found {
		t.Fatalf("%s has no section %q", securityModel, rightsHeadline)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var told, known []string
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		told = append(told, right{cells[1], cells[2], cells[3]}.String()+": "+cells[4])
	}
	for _, need := range needed {
		known = append(known, need.String()+": "+need.call)
	}
	if diff := cmp.Diff(known, told); diff != "" {
		t.Errorf("the table of %s (-needed +told):\n%s", securityModel, diff)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	root, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
