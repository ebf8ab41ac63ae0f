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
		if u.Of("dc1") != step.dc1 || u.Of("dc2") != step.dc2 {
			t.Errorf("%s: got %d and %d", step.name, u.Of("dc1"), u.Of("dc2"))
		}
		if got := fmt.Sprint(u.told()); got != step.told {
			t.Errorf("%s: told of %s, want %s", step.name, got, step.told)
		}
	}
	if len(u.class) != 1 || len(u.count) != 1 {
		t.Errorf("what is gone is kept: %v %v", u.class, u.count)
	}
}

func TestUsageNeverBlocks(t *testing.T) {
	u := NewUsage()
	for i := range 3 * changesKept {
		u.Set(fmt.Sprintf("shop/%d", i), "dc1")
	}
	if got := u.Of("dc1"); got != 3*changesKept {
		t.Errorf("got %d", got)
	}
}
