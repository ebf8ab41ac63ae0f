package reconcile

import (
	"fmt"
	"testing"
)

func (u *Usage) told() []string {
	var names []string
	for {
		select {
		case change := <-u.changed:
			names = append(names, change.Object.Name)
		default:
			return names
		}
	}
}

func TestUsageFollowsReleases(t *testing.T) {
	u := NewUsage()
	for _, step := range []struct {
		name, release, class string
		dc1, dc2             int32
		told                 string
	}{
		{"a release names a class", "shop/web", "dc1", 1, 0, "[dc1]"},
		{"another names it too", "shop/db", "dc1", 2, 0, "[dc1]"},
		{"an update that changes nothing counts nothing", "shop/db", "dc1", 2, 0, "[]"},
		{"one moves", "shop/db", "dc2", 1, 1, "[dc1 dc2]"},
		{"one is gone", "shop/web", "", 0, 1, "[dc1]"},
		{"one that was never there is gone", "shop/none", "", 0, 1, "[]"},
	} {
		u.Set(step.release, step.class)
		dc1, _ := u.Of("dc1")
		if dc2, _ := u.Of("dc2"); dc1 != step.dc1 || dc2 != step.dc2 {
			t.Errorf("%s: got %d and %d", step.name, dc1, dc2)
		}
		if got := fmt.Sprint(u.told()); got != step.told {
			t.Errorf("%s: told of %s, want %s", step.name, got, step.told)
		}
	}
	if len(u.releases.classes) != 1 || len(u.releases.count) != 1 {
		t.Errorf("what is gone is kept: %v", u.releases)
	}
}

func TestUsageFollowsTenantsBesideReleases(t *testing.T) {
	u := NewUsage()
	u.Set("shop/web", "dc1")
	u.told()
	for _, step := range []struct {
		name, tenant string
		classes      []string
		dc1, dc2     int32
		told         string
	}{
		{"a tenant lists a class and has it for its default", "tenant-root/acme", []string{"dc2", "dc1", "dc2"}, 1, 1, "[dc1 dc2]"},
		{"another has a default alone", "tenant-root/zoo", []string{"dc2"}, 1, 2, "[dc2]"},
		{"the same in another order changes nothing", "tenant-root/acme", []string{"dc1", "dc2"}, 1, 2, "[]"},
		{"no default refers to nothing", "tenant-root/zoo", []string{"", "dc2"}, 1, 2, "[]"},
		{"only what changes is told", "tenant-root/acme", []string{"dc2", "dc3"}, 0, 2, "[dc1 dc3]"},
		{"a tenant of the name of a release is another thing", "shop/web", []string{"dc1"}, 1, 2, "[dc1]"},
		{"one is gone", "tenant-root/acme", nil, 1, 1, "[dc2 dc3]"},
		{"one that was never there is gone", "tenant-root/none", nil, 1, 1, "[]"},
	} {
		u.SetTenant(step.tenant, step.classes)
		releases, dc1 := u.Of("dc1")
		if _, dc2 := u.Of("dc2"); releases != 1 || dc1 != step.dc1 || dc2 != step.dc2 {
			t.Errorf("%s: got %d releases, %d and %d tenants", step.name, releases, dc1, dc2)
		}
		if got := fmt.Sprint(u.told()); got != step.told {
			t.Errorf("%s: told of %s, want %s", step.name, got, step.told)
		}
	}
	if len(u.tenants.classes) != 2 || len(u.tenants.count) != 2 {
		t.Errorf("what is gone is kept: %v", u.tenants)
	}
}

func TestUsageKeepsNoListOfItsCaller(t *testing.T) {
	u := NewUsage()
	list := []string{"dc2", "dc1"}
	u.SetTenant("tenant-root/acme", list)
	list[0], list[1] = "dc8", "dc9"
	u.SetTenant("tenant-root/acme", nil)
	if len(u.tenants.count) != 0 {
		t.Errorf("still counted: %v", u.tenants.count)
	}
}

func TestUsageNeverBlocks(t *testing.T) {
	u := NewUsage()
	for i := range 3 * changesKept {
		u.Set(fmt.Sprintf("shop/%d", i), "dc1")
	}
	if got, _ := u.Of("dc1"); got != 3*changesKept {
		t.Errorf("got %d", got)
	}
}
