package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/policy"
)

func TestDerive(t *testing.T) {
	had := func(class string, source policy.Source, previous ...string) *policy.Derived {
		return &policy.Derived{Class: class, Source: source, Previous: previous}
	}
	for _, tt := range []struct {
		name   string
		choice policy.Choice
		want   policy.Derived
	}{
		{"what is named", policy.Choice{Named: "dc1", Default: "dc2"}, policy.Derived{Class: "dc1", Source: policy.Explicit}},
		{"nothing", policy.Choice{}, policy.Derived{}},
		{"the default, at creation", policy.Choice{Default: "dc2"}, policy.Derived{Class: "dc2", Source: policy.Default}},
		{"no default later", policy.Choice{Default: "dc2", Before: had("", "")}, policy.Derived{}},
		{"the default stays when another one is", policy.Choice{Default: "dc2", Before: had("dc1", policy.Default)},
			policy.Derived{Class: "dc1", Source: policy.Default}},
		{"a name that is taken back is not kept", policy.Choice{Default: "dc2", Before: had("dc1", policy.Explicit), Settled: true},
			policy.Derived{Previous: []string{"dc1"}}},
		{"the parent's", policy.Choice{Child: true, Parent: "dc1", Default: "dc2"}, policy.Derived{Class: "dc1", Source: policy.Parent}},
		{"no default for a part", policy.Choice{Child: true, Default: "dc2"}, policy.Derived{}},
		{"its own name where the parent has none", policy.Choice{Child: true, Named: "dc1"}, policy.Derived{Class: "dc1", Source: policy.Explicit}},
		{"none in another cluster", policy.Choice{Remote: true, Named: "dc1", Default: "dc2"}, policy.Derived{}},
		{"a change keeps the old one", policy.Choice{Named: "dc2", Before: had("dc1", policy.Explicit), Settled: true},
			policy.Derived{Class: "dc2", Source: policy.Explicit, Previous: []string{"dc1"}}},
		{"a second change before the first is done keeps both", policy.Choice{Named: "dc3", Before: had("dc2", policy.Explicit, "dc1")},
			policy.Derived{Class: "dc3", Source: policy.Explicit, Previous: []string{"dc1", "dc2"}}},
		{"going back", policy.Choice{Named: "dc1", Before: had("dc2", policy.Explicit, "dc1")},
			policy.Derived{Class: "dc1", Source: policy.Explicit, Previous: []string{"dc2"}}},
		{"a change after the first is done forgets", policy.Choice{Named: "dc3", Before: had("dc2", policy.Explicit, "dc1"), Settled: true},
			policy.Derived{Class: "dc3", Source: policy.Explicit, Previous: []string{"dc2"}}},
		{"no change, not done", policy.Choice{Named: "dc2", Before: had("dc2", policy.Explicit, "dc1")},
			policy.Derived{Class: "dc2", Source: policy.Explicit, Previous: []string{"dc1"}}},
		{"no change, done", policy.Choice{Named: "dc2", Before: had("dc2", policy.Explicit, "dc1"), Settled: true},
			policy.Derived{Class: "dc2", Source: policy.Explicit}},
		{"a first class on what runs without one", policy.Choice{Named: "dc1", Before: had("", ""), Settled: true},
			policy.Derived{Class: "dc1", Source: policy.Explicit, Previous: []string{policy.NoneBefore}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := policy.Derive(tt.choice)
			if len(got.Previous) == 0 {
				got.Previous = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormerClassesAreBoundedAndTheOldestIsKept(t *testing.T) {
	before := policy.Derived{Class: "c0", Source: policy.Explicit}
	for _, name := range []string{"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11"} {
		before = policy.Derive(policy.Choice{Named: name, Before: &before})
	}
	if diff := cmp.Diff([]string{"c0", "c4", "c5", "c6", "c7", "c8", "c9", "c10"}, before.Previous); diff != "" {
		t.Error(diff)
	}
}

func TestDerivedIsReadAsItIsWritten(t *testing.T) {
	want := policy.Derived{Class: "dc1", Source: policy.Parent, Previous: []string{"-", "dc2"}}
	got := policy.ReadDerived(map[string]string{policy.ClassLabel: "dc1"}, want.Annotations())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOfAListThatAdmissionDidNotWriteLittleIsTaken(t *testing.T) {
	for text, want := range map[string][]string{
		"dc1,dc1,Not_A_Name,,dc2": {"dc1", "dc2"}, "a,b,c,d,e,f,g,h,i": nil, "": nil,
	} {
		got := policy.ReadDerived(nil, map[string]string{policy.PreviousAnnotation: text}).Previous
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
