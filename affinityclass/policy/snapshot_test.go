package policy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func class(name, zone string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name = name
	if zone != "" {
		c.Spec.NodeSelector = map[string]string{"zone": zone}
	}
	return c
}

func TestAChangeGivesANewSnapshotAndLeavesTheOld(t *testing.T) {
	before := policy.New(class("dc1", "dc1"))
	added := before.With(class("dc2", "dc2"))
	removed := added.Without("dc1")
	for name, tt := range map[string]struct {
		snapshot *policy.Snapshot
		want     []string
	}{
		"before": {before, []string{"dc1"}}, "added": {added, []string{"dc1", "dc2"}}, "removed": {removed, []string{"dc2"}},
	} {
		if diff := cmp.Diff(tt.want, tt.snapshot.Names()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestClass(t *testing.T) {
	snapshot := policy.New(class("dc1", "dc1"), class("empty", ""))
	if got, err := snapshot.Class("dc1"); err != nil || got.Name() != "dc1" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := snapshot.Class("dc9"); !errors.Is(err, policy.ErrClassNotFound) {
		t.Errorf("an absent class: got %v", err)
	}
	if _, err := snapshot.Class("empty"); !errors.Is(err, affinityclass.ErrNoSelector) {
		t.Errorf("a class without a selector is there, and holds nothing: got %v", err)
	}
	var zero policy.Snapshot
	if _, err := zero.Class("dc1"); !errors.Is(err, policy.ErrClassNotFound) {
		t.Errorf("the zero snapshot: got %v", err)
	}
	if got := zero.With(class("dc1", "dc1")).Names(); len(got) != 1 {
		t.Errorf("the zero snapshot cannot grow: %v", got)
	}
}

func TestClassName(t *testing.T) {
	if name, ok := policy.ClassName(map[string]string{policy.ClassLabel: "dc1"}); !ok || name != "dc1" {
		t.Errorf("got %q %v", name, ok)
	}
	if _, ok := policy.ClassName(map[string]string{policy.ClassLabel: ""}); ok {
		t.Error("an empty value names a class")
	}
	if why := policy.MalformedName("dc1"); why != "" {
		t.Errorf("dc1 is malformed: %s", why)
	}
	for _, name := range []string{"Dc1", "dc.1", "dc_1", "-dc1"} {
		if policy.MalformedName(name) == "" {
			t.Errorf("%s can be a label value, and not the name of a class", name)
		}
	}
}
