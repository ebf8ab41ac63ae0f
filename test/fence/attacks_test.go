package fence_test

import (
	"fmt"
	"testing"
	"time"
)

// attack is a way to get a Pod outside.
type attack struct {
	name string
	do   func(*arena)
}

func attacks() []attack {
	var all []attack
	for _, some := range [][]attack{byPods(), byGates(), byWorkloads(), byReleases(), byForgery(), byRights(), byParts(), byOthers(), byEmptiness()} {
		all = append(all, some...)
	}
	return all
}

// settle is how long controllers may take to make what an attack asks of them.
const settle = 2 * time.Second

func TestNothingGetsAPodOutOfTheFence(t *testing.T) {
	if n := len(attacks()); n < 40 {
		t.Errorf("only %d attacks", n)
	}
	for i, attack := range attacks() {
		t.Run(attack.name, func(t *testing.T) {
			t.Parallel()
			free := enter(t, fmt.Sprintf("free%d", i), nil)
			held := enter(t, fmt.Sprintf("held%d", i), []string{"dc1", "dc2"})
			attack.do(free)
			free.until("the attack has left a Pod where there is no fence", func() error {
				found, err := free.escaped()
				if err == nil && found == "" {
					err = fmt.Errorf("there is none")
				}
				return err
			})
			attack.do(held)
			for end := time.Now().Add(settle); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				if found, err := held.escaped(); err != nil || found != "" {
					t.Fatalf("it works: %s %v", found, err)
				}
			}
		})
	}
}
