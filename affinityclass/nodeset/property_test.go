package nodeset

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// size is how many random pairs the property test decides; make test-long asks
// for more.
func size() int {
	if os.Getenv("AFFINITYCLASS_TEST_SIZE") == "long" {
		return 1_000_000
	}
	return 100_000
}

// seed is a new one each run, or the one to repeat.
func seed(t *testing.T) uint64 {
	given, ok := os.LookupEnv("AFFINITYCLASS_TEST_SEED")
	if !ok {
		return uint64(time.Now().UnixNano())
	}
	s, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("read AFFINITYCLASS_TEST_SEED: %v", err)
	}
	return s
}

// TestSubsetAgreesWithTheSchedulersMatcher decides random pairs and compares each
// answer with a search through all nodes that could matter.
func TestSubsetAgreesWithTheSchedulersMatcher(t *testing.T) {
	s, cases, start := seed(t), size(), time.Now()
	counts := map[string]int{}
	most := 0
	for i := range cases {
		d := dice{rand.New(rand.NewPCG(s, uint64(i))), 0}
		d.keys = one(d, 1, 2, 2, 2, 3)
		inner, outer := d.pair()
		answer, steps := decideCase(inner, outer)
		most = max(most, steps)
		counts[name(answer)]++
		if fault := check(answer, inner, outer); fault != "" {
			t.Fatalf("seed %d, case %d: %s\ngot %#v\ninner %s\nouter %s", s, i, fault, answer, show(inner), show(outer...))
		}
	}
	t.Logf("%d pairs in %s, seed %d: %v; at most %d of %d steps", cases, time.Since(start).Round(time.Second), s, counts, most, Budget)
	for _, kind := range []string{"Inside", "Outside"} {
		if counts[kind] < cases/5 {
			t.Errorf("only %d of %d are %s: the formulas no longer test both", counts[kind], cases, kind)
		}
	}
}

func decideCase(inner formula, outer []formula) (Answer, int) {
	m := &meter{left: Budget}
	answer := decide(inner.set(), union1(outer).union, m)
	return answer, Budget - m.left
}

func union1(formulas []formula) Set {
	var sets []Set
	for _, f := range formulas {
		sets = append(sets, f.set())
	}
	return Union(sets...)
}

// check says what is wrong with an answer, nothing if it is right.
func check(answer Answer, inner formula, outer []formula) string {
	w := newWorld(append(outer, inner)...)
	in, out := newOracle(inner), newOracle(outer...)
	least := w.smallest(in, out)
	switch a := answer.(type) {
	case Inside:
		if least != none {
			return "some node is outside"
		}
	case Outside:
		switch {
		case least == none:
			return "no node is outside"
		case !w.shows(a.Witness, in, out):
			return "the witness shows nothing"
		case !valid(a.Witness):
			return "the witness is not a node that can be"
		case len(a.Witness.Labels) != least:
			return "the witness has not " + strconv.Itoa(least) + " labels"
		}
	default:
		return "undecided"
	}
	return ""
}

func valid(w Witness) bool {
	for key, value := range w.Labels {
		if !isKey(key) || !isValue(value) {
			return false
		}
	}
	return w.Name == "" || isNodeName(w.Name)
}

func show(formulas ...formula) string {
	text, err := json.Marshal(formulas)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// name is the kind of an answer.
func name(answer Answer) string { return reflect.TypeOf(answer).Name() }
