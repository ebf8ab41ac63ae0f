package affinityclass_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func class(name string, selector map[string]string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name = name
	c.Spec.NodeSelector = selector
	return c
}

func compile(t testing.TB, c *v1alpha1.AffinityClass) *affinityclass.Class {
	t.Helper()
	compiled, err := affinityclass.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestCheck(t *testing.T) {
	fast := compile(t, class("fast", map[string]string{"zone": "dc1", "disk": "ssd", "empty": ""}))
	violation := func(key, want, got, seen string) affinityclass.Violation {
		return affinityclass.Violation{Class: "fast", Field: "spec.nodeSelector", Key: key, Want: want, Got: got, Seen: seen,
			Message: "nodeSelector " + key + "=" + want + " is required, " + seen}
	}
	tests := []struct {
		name   string
		pod    map[string]string
		want   []affinityclass.Violation
		reason string
	}{
		{"a Pod with every pair keeps the contract", map[string]string{"zone": "dc1", "disk": "ssd", "empty": ""}, nil, ""},
		{"more pairs than the class asks for are welcome", map[string]string{"zone": "dc1", "disk": "ssd", "empty": "", "cpu": "amd"}, nil, "they only narrow"},
		{"every missing pair is named, sorted by key", nil, []affinityclass.Violation{
			violation("disk", "ssd", "", `found none`),
			violation("empty", "", "", `found none`),
			violation("zone", "dc1", "", `found none`),
		}, "one answer says all there is to mend"},
		{"another value is named with the value found", map[string]string{"zone": "dc2", "disk": "ssd", "empty": ""}, []affinityclass.Violation{
			violation("zone", "dc1", "dc2", `found "dc2"`),
		}, ""},
		{"an empty value is not an absent key", map[string]string{"zone": "", "disk": "ssd", "empty": ""}, []affinityclass.Violation{
			violation("zone", "dc1", "", `found ""`),
		}, "both are legal in a Pod and mean different nodes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fast.Check(affinityclass.Constraints{NodeSelector: tt.pod})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%s", tt.reason, diff)
			}
		})
	}
}

func TestCheckDoesNotAllocateWhenTheContractIsKept(t *testing.T) {
	c := compile(t, class("dc1", map[string]string{"zone": "dc1"}))
	pod := affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}
	if allocs := testing.AllocsPerRun(100, func() { c.Check(pod) }); allocs != 0 {
		t.Errorf("got %v allocations, want none", allocs)
	}
}

func TestCompileRefusesAClassWithoutNodes(t *testing.T) {
	_, err := affinityclass.Compile(class("none", nil))
	if !errors.Is(err, affinityclass.ErrNoSelector) {
		t.Fatalf("got %v, want ErrNoSelector", err)
	}
}

func TestCompileKeepsNothingOfItsInput(t *testing.T) {
	selector := map[string]string{"zone": "dc1"}
	c := compile(t, class("dc1", selector))
	selector["zone"] = "dc2"
	if broken := c.Check(affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}); broken != nil {
		t.Errorf("a change of the API object changed the class: %v", broken)
	}
}

func TestContradicts(t *testing.T) {
	dc1 := compile(t, class("dc1", map[string]string{"zone": "dc1"}))
	dc2 := compile(t, class("dc2", map[string]string{"zone": "dc2"}))
	ssd := compile(t, class("ssd", map[string]string{"disk": "ssd"}))
	if !dc1.Contradicts(dc2) || !dc2.Contradicts(dc1) {
		t.Error("two values of one label were not a contradiction")
	}
	if dc1.Contradicts(ssd) || dc1.Contradicts(dc1) {
		t.Error("classes that share nodes were a contradiction")
	}
}

func TestActionDefaultsToDeny(t *testing.T) {
	if got := compile(t, class("dc1", map[string]string{"zone": "dc1"})).Action(); got != v1alpha1.Deny {
		t.Errorf("got %q, want Deny: a class stored without an action must not be the laxer", got)
	}
}
