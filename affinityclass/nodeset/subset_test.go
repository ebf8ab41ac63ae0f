package nodeset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSubset(t *testing.T) {
	spellings := func(n string) string { // all label values that are this integer
		var list []string
		for s := n; len(s) <= 63; s = "0" + s {
			list = append(list, s)
		}
		return strings.Join(list, " ")
	}
	tests := []struct {
		name, inner, outer string
		want               string
		reason             string
	}{
		{"a nodeSelector with the class's pairs and more", "zone=dc1; disk=ssd", "zone=dc1", "inside", ""},
		{"another value", "zone=dc3", "zone=dc1", "zone=dc3", ""},
		{"affinity where the class has a pair", "zone in dc1", "zone=dc1", "inside", "custom resources may have only affinity"},
		{"one zone too many", "zone in dc1 dc3", "zone in dc1 | zone in dc2", "zone=dc3", ""},
		{"each term on its own", "zone in dc1 | zone in dc2; disk exists", "zone in dc1 dc2", "inside", ""},
		{"a class that only together covers the Pod", "zone in dc1 dc2; disk in ssd", "zone in dc1 | zone in dc2; disk notin hdd", "inside", ""},
		{"no constraints", "", "zone in dc1 dc2", "no labels", ""},
		{"the constraints of the class itself", "disk=ssd; zone in dc1 | zone in dc2", "disk=ssd; zone in dc1 | zone in dc2", "inside", ""},

		{"the smallest of several witnesses", "a exists; b exists | a exists", "c exists", "a=other", ""},
		{"a value of the Pod's own before an invented one", "zone in x dc3; disk exists", "zone in x; disk in ssd | zone in dc3; disk in ssd", "disk=other, zone=dc3", ""},
		{"a value of the class before an invented one", "disk exists; disk notin ssd", "disk in ssd | disk in hdd; zone exists", "disk=hdd", ""},
		{"an invented value that no list refuses", "zone exists; zone notin other other-2", "zone in dc1", "zone=other-3", ""},

		{"everything", "", "a exists | a absent", "inside", ""},
		{"an absent key matches NotIn", "a notin x", "a exists", "no labels", ""},
		{"an absent key does not match Gt", "a gt 1", "a exists", "inside", ""},
		{"integers only", "a gt 1", "a notin x", "inside", "x is no integer"},
		{"an integer next to the Pod's bound", "a gt 1", "a gt 4", "a=2", ""},
		{"an integer next to the class's bound", "a exists", "a gt 4", "a=4", ""},
		{"an integer between two upper bounds", "a lt 7", "a lt 4", "a=4", ""},
		{"an interval", "a gt 3; a lt 6", "a in 4 5", "a=04", "004, 04 and 4 are three values"},
		{"another spelling of a listed integer", "a in 8 08", "a in 8", "a=08", ""},
		{"all spellings of an integer listed", "a gt 7; a lt 9", "a in " + spellings("8"), "inside", "values have at most 63 characters"},
		{"all but one", "a gt 7; a lt 9", "a in " + strings.TrimPrefix(spellings("8"), "8 "), "a=8", ""},
		{"all but the longest", "a gt 7; a lt 9", "a in " + strings.TrimSuffix(spellings("8"), " "+strings.Repeat("0", 62)+"8"), "a=" + strings.Repeat("0", 62) + "8", ""},
		{"all spellings refused", "a gt 7; a lt 9; a notin " + spellings("8"), "none", "inside", "the Pod matches no node"},
		{"spellings refused on both sides", "a gt 7; a lt 9; a notin " + spellings("08"), "a in 8", "inside", ""},
		{"the greatest integer", "a gt 9223372036854775806", "a in " + spellings("9223372036854775807"), "inside", ""},
		{"nothing is greater", "a gt 9223372036854775807", "none", "inside", ""},
		{"nothing is less than zero", "a lt 0", "none", "inside", "no label value begins with a sign"},
		{"too large to be an integer", "a in 9223372036854775808", "a gt 1", "a=9223372036854775808", "ParseInt refuses it"},
		{"Gt and Lt that cover all integers leave words", "a exists", "a gt 4 | a lt 5", "a=other", ""},
		{"and absence", "", "a gt 4 | a lt 5 | a exists", "no labels", ""},

		{"a node by name", "@ in n1", "@ in n1 | zone in dc1", "inside", ""},
		{"another node by name", "zone in dc1; @ in n2", "@ in n1", "metadata.name=n2, zone=dc1", ""},
		{"no node lacks a name", "@ notin n1", "@ notin n2 | @ in n2", "inside", ""},
		{"a name that is not refused", "@ notin other", "zone in dc1", "metadata.name=other-2", ""},
		{"a name that the class refuses", "zone in dc1", "@ notin n1", "metadata.name=n1, zone=dc1", ""},
		{"a label of the same spelling as the field", "metadata.name in n1", "@ in n1", "metadata.name=other, metadata.name=n1", "a label and the name are two things"},
		{"a name that no node has", "@ in No", "none", "inside", ""},
		{"another field", "@spec.x in x", "none", "inside", "it reads as empty"},
		{"another field that is empty", `@spec.x in ""`, "none", "no labels", "so it matches all"},

		{"no terms at all match nothing", "none", "zone=dc1", "inside", ""},
		{"an empty term matches nothing", "()", "zone=dc1", "inside", ""},
		{"a class of no terms holds nothing", "zone=dc1", "none", "zone=dc1", ""},
		{"an empty In list", "zone in", "none", "inside", "Kubernetes cannot parse it"},
		{"a term that cannot be parsed beside one that can", "zone in | zone in dc3", "zone in dc1", "zone=dc3", ""},
		{"an unknown operator", "zone near dc1", "none", "inside", ""},
		{"Exists with values", "zone exists dc1", "none", "inside", ""},
		{"Gt of no integer", "a gt x", "none", "inside", ""},
		{"Gt of a negative integer", "a gt -1", "none", "inside", "-1 is no label value"},
		{"Gt of two integers", "a gt 1 2", "none", "inside", ""},
		{"a value that is none in a list", "a in x -x", "none", "inside", ""},
		{"a value that is none in a nodeSelector", "a=-x", "none", "inside", "it parses, and no node has it"},
		{"a key that is none", "a/b/c exists", "none", "inside", ""},
		{"a name of two values", "@ in n1 n2", "none", "inside", ""},
		{"a term that contradicts itself", "a in x; a notin x", "none", "inside", ""},
		{"a nodeSelector that contradicts a term", "a=x; a in y | a in x", "a in x", "inside", ""},
		{"a class term that contradicts itself", "zone in dc1", "zone in dc1; zone in dc2", "zone=dc1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inner, outer := parse(tt.inner), parse(tt.outer)
			answer := Subset(inner.set(), outer.set())
			got := strings.ToLower(name(answer))
			if o, ok := answer.(Outside); ok {
				got = o.Witness.String()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s: %s", got, tt.want, tt.reason)
			}
			if fault := check(answer, inner, []formula{outer}); fault != "" {
				t.Errorf("%s: %s", got, fault)
			}
		})
	}
}

func TestUnion(t *testing.T) {
	dc1, dc2 := parse("zone=dc1").set(), parse("zone in dc2").set()
	pod := parse("zone in dc1 dc2").set()
	if got := Subset(pod, Union(dc1, dc2)); got != (Inside{}) {
		t.Errorf("got %v: each zone is in one of the sets", got)
	}
	if got := Subset(Union(dc1, dc2), pod); got != (Inside{}) {
		t.Errorf("got %v: a compiled set is an inner set as well", got)
	}
	if got := name(Subset(pod, Union())); got != "Outside" {
		t.Errorf("got %s: a union of no sets holds nothing", got)
	}
	if got := Subset(Union(), Union()); got != (Inside{}) {
		t.Errorf("got %v: no nodes are inside anything", got)
	}
	if got := Subset(pod, Set{}); got != (Inside{}) {
		t.Errorf("got %v: the zero Set is all nodes", got)
	}
	if got := Subset(Set{}, Union(dc1, Set{}).Compile()); got != (Inside{}) {
		t.Errorf("got %v: all nodes, and dc1", got)
	}
}

func TestACompiledSetKeepsNothingOfItsInput(t *testing.T) {
	class := parse("disk=ssd; zone in dc1 dc2; cpu notin 1 2")
	compiled := class.set().Compile()
	pod := parse("disk=ssd; zone in dc1; cpu notin 1 2").set()
	class.Labels["disk"] = "hdd"
	for _, r := range class.Selector.NodeSelectorTerms[0].MatchExpressions {
		r.Values[0] = "changed"
	}
	if got := Subset(pod, compiled); got != (Inside{}) {
		t.Errorf("got %v: a change of the API object changed the set", got)
	}
}

func TestTheInputIsLeftAsItWas(t *testing.T) {
	pod := parse("zone notin b a; zone in d c; zone notin z y")
	before := show(pod)
	Subset(pod.set(), parse("zone in x").set())
	pod.set().Compile()
	if after := show(pod); after != before {
		t.Errorf("a question changed its Pod from %s to %s", before, after)
	}
}

func TestTheSameQuestionHasTheSameAnswer(t *testing.T) {
	inner := formula{Labels: pairs(20)}
	outer := formula{Labels: pairs(40)}
	want := fmt.Sprint(Subset(inner.set(), outer.set()))
	for range 50 {
		inner.Labels, outer.Labels = pairs(20), pairs(40)
		if got := fmt.Sprint(Subset(inner.set(), outer.set())); got != want {
			t.Fatalf("got %s after %s", got, want)
		}
	}
}

// TestAWitnessFoundLateIsShrunk ends the budget at each step, also where there is
// a witness already and not yet a smallest one.
func TestAWitnessFoundLateIsShrunk(t *testing.T) {
	tests := []struct{ name, outer, first, last string }{
		{"a label taken before a better one", "a absent; b absent | b absent; c absent | d absent; e absent | e absent; f absent",
			"b=other, e=other", "b=other, e=other"},
		{"a label that some name could not do without", "a absent; b absent | b absent; c absent | a absent; @ in n1",
			"a=other, b=other", "metadata.name=other, b=other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			outer := parse(tt.outer)
			w, in, out := newWorld(outer), newOracle(formula{}), newOracle(outer)
			var seen []string
			for budget := range 1000 {
				answer, ok := decide(Set{}, outer.set().Compile().union, &meter{left: budget}).(Outside)
				if !ok {
					continue
				}
				if !w.shows(answer.Witness, in, out) {
					t.Fatalf("budget %d: %s shows nothing", budget, answer.Witness)
				}
				seen = append(seen, answer.Witness.String())
			}
			if len(seen) == 0 || seen[0] != tt.first || seen[len(seen)-1] != tt.last {
				t.Errorf("got %q, want %s at first and %s at last", slices.Compact(seen), tt.first, tt.last)
			}
		})
	}
}

func TestTheLiteralQuestionDoesNotAllocate(t *testing.T) {
	inner := Of(map[string]string{"disk": "ssd", zone: "dc1", "pool": "p7"}, parse("a exists").Selector)
	for name, outer := range map[string]Set{"class": parse(zone + "=dc1; disk=ssd").set().Compile(), "fence": tenants(200)} {
		allocs := testing.AllocsPerRun(100, func() {
			if Subset(inner, outer) != (Inside{}) {
				t.Fatalf("%s: not inside", name)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: got %v allocations, want none", name, allocs)
		}
	}
}
