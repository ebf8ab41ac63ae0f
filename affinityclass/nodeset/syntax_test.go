package nodeset

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// TestSyntaxAgreesWithKubernetes compares the rules with those they stand for, on
// random strings of telling characters and lengths.
func TestSyntaxAgreesWithKubernetes(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(7, 7)), 0}
	good := 0
	for range 50_000 {
		s := d.text()
		value := len(validation.IsValidLabelValue(s)) == 0
		key := len(validation.IsQualifiedName(s)) == 0
		name := len(validation.IsDNS1123Subdomain(s)) == 0
		if isValue(s) != value || isKey(s) != key || isNodeName(s) != name {
			t.Fatalf("%q: got %v %v %v, Kubernetes says %v %v %v", s, isValue(s), isKey(s), isNodeName(s), value, key, name)
		}
		if value && key && name {
			good++
		}
	}
	if good == 0 {
		t.Error("no string was good")
	}
}

// text is mostly good, and now and then as long as a rule allows, or longer.
func (d dice) text() string {
	var b strings.Builder
	for range d.IntN(6) {
		b.WriteString(one(d, "a", "b", "0", "9", "Z", "a", "0", "-", ".", "_", "/", "é", " "))
	}
	if d.chance(30) {
		b.WriteString(strings.Repeat(one(d, "a", "a", "a.", "-"), one(d, 57, 62, 63, 64, 126, 250, 253, 254)))
	}
	for range d.IntN(4) {
		b.WriteString(one(d, "a", "0", "/", "/", ".", "/a"))
	}
	return b.String()
}
