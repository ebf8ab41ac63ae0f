package envtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const zeros = "000000000000000000000000000000000000000000000000000000000000000" // 63

// longKey is a label key of 317 characters.
func longKey(i int) string {
	return subdomain(253) + "/" + fmt.Sprintf("k%062d", i)
}

// largest is a class that is in everything as large as may be.
func largest(name string) *v1alpha1.AffinityClass {
	var term v1alpha1.NodeSelectorTerm
	selector := map[string]string{}
	var tolerations []v1alpha1.Toleration
	for i := range 16 {
		values := make([]string, 16)
		for j := range values {
			values[j] = fmt.Sprintf("%063d", j)
		}
		requirement := requires(longKey(i), "NotIn", values...)
		if i == 0 {
			requirement = requires(longKey(i), "Gt", zeros)
		}
		term.MatchExpressions = append(term.MatchExpressions, requirement)
		term.MatchFields = append(term.MatchFields, v1alpha1.NodeFieldRequirement{Key: "metadata.name", Operator: "NotIn", Values: []string{subdomain(253)}})
		selector[longKey(i)] = zeros
		tolerations = append(tolerations, v1alpha1.Toleration{Key: longKey(i), Value: zeros, Effect: "PreferNoSchedule"})
	}
	c := with(slices.Repeat([]v1alpha1.NodeSelectorTerm{term}, 16)...)
	c.Name, c.Spec.NodeSelector, c.Spec.Tolerations = name, selector, tolerations
	c.Spec.Description = strings.Repeat("d", 256)
	c = c.DeepCopy() // the terms share memory so far
	return c
}

// The rules of the largest class keep within the API server's limit of cost, when
// it is created and when it is updated.
func TestTheLargestClassIsAccepted(t *testing.T) {
	c := admin(t)
	name := strings.Repeat("l", 63)
	largest := largest(name)
	if errs := v1alpha1.Validate(largest); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	start := time.Now()
	if err := c.Create(t.Context(), largest); err != nil {
		t.Fatalf("create: %.500v", err)
	}
	remove(t, c, name)
	created := time.Since(start)
	largest.Spec.Description = "another"
	if err := c.Update(t.Context(), largest); err != nil {
		t.Fatalf("update: %.500v", err)
	}
	t.Logf("created in %v, updated in %v", created, time.Since(start)-created)
}

func TestOneMoreThanTheLargestIsRefused(t *testing.T) {
	last := func(c *v1alpha1.AffinityClass) *v1alpha1.NodeSelectorTerm { return &c.Spec.NodeSelectorTerms[15] }
	requirement := func(c *v1alpha1.AffinityClass) *v1alpha1.NodeSelectorRequirement {
		return &last(c).MatchExpressions[15]
	}
	tests := []struct {
		name    string
		grow    func(c *v1alpha1.AffinityClass)
		refused string
	}{
		{"a pair", func(c *v1alpha1.AffinityClass) { c.Spec.NodeSelector["k"] = "v" }, "spec.nodeSelector"},
		{"a term", func(c *v1alpha1.AffinityClass) {
			c.Spec.NodeSelectorTerms = append(c.Spec.NodeSelectorTerms, *last(c))
		}, "spec.nodeSelectorTerms"},
		{"an expression", func(c *v1alpha1.AffinityClass) {
			last(c).MatchExpressions = append(last(c).MatchExpressions, *requirement(c))
		}, "spec.nodeSelectorTerms[15].matchExpressions"},
		{"a field", func(c *v1alpha1.AffinityClass) {
			last(c).MatchFields = append(last(c).MatchFields, last(c).MatchFields[0])
		}, "spec.nodeSelectorTerms[15].matchFields"},
		{"a value", func(c *v1alpha1.AffinityClass) {
			requirement(c).Values = append(requirement(c).Values, "v")
		}, "spec.nodeSelectorTerms[15].matchExpressions[15].values"},
		{"a character of a value", func(c *v1alpha1.AffinityClass) { requirement(c).Values[15] += "v" }, "matchExpressions[15].values[15]"},
		{"a character of a key", func(c *v1alpha1.AffinityClass) { requirement(c).Key += "k" }, "matchExpressions[15].key"},
		{"a character of a node's name", func(c *v1alpha1.AffinityClass) { last(c).MatchFields[15].Values[0] += "n" }, "matchFields[15].values[0]"},
		{"a toleration", func(c *v1alpha1.AffinityClass) {
			c.Spec.Tolerations = append(c.Spec.Tolerations, c.Spec.Tolerations[0])
		}, "spec.tolerations"},
		{"a character of a toleration's key", func(c *v1alpha1.AffinityClass) { c.Spec.Tolerations[15].Key += "k" }, "spec.tolerations[15].key"},
		{"a character of the description", func(c *v1alpha1.AffinityClass) { c.Spec.Description += "d" }, "spec.description"},
	}
	c := admin(t)
	for _, test := range tests {
		larger := largest("larger")
		test.grow(larger)
		verdict{test.name, larger, test.refused + ": Too"}.check(t, c)
	}
}
