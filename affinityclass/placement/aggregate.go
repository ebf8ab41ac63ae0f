package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// groupsShown is how many groups an aggregate names before it counts the rest.
const groupsShown = 8

// group is the nodes that failed in one way.
type group struct {
	text  string
	nodes int
}

// Reasons aggregates what was dropped: each node by its first failing reason,
// the largest group first, then alphabetical, at most eight and then "and N more
// node(s)".
func (p *Preview) Reasons() []string {
	groups := p.groups()
	var texts []string
	rest := 0
	for i, g := range groups {
		if i >= groupsShown {
			rest += g.nodes
			continue
		}
		texts = append(texts, fmt.Sprintf("%d node(s): %s", g.nodes, g.text))
	}
	if rest > 0 {
		texts = append(texts, fmt.Sprintf("and %d more node(s)", rest))
	}
	return texts
}

// Aggregate is Reasons in one line.
func (p *Preview) Aggregate() string {
	return strings.Join(p.Reasons(), "; ")
}

func (p *Preview) groups() []group {
	counts := map[string]int{}
	texts := map[*Reason]string{} // reasons are shared: each is written once
	for _, drop := range p.first() {
		text, ok := texts[drop.Reason]
		if !ok {
			text = drop.Reason.Summary()
			texts[drop.Reason] = text
		}
		counts[text]++
	}
	groups := make([]group, 0, len(counts))
	for text, nodes := range counts {
		groups = append(groups, group{text, nodes})
	}
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.nodes, a.nodes), cmp.Compare(a.text, b.text))
	})
	return groups
}

// first is every dropped node with the reason of its first failing stage.
func (p *Preview) first() []Drop {
	seen := map[string]bool{}
	var drops []Drop
	for _, stage := range p.Stages {
		for _, drop := range stage.Dropped {
			if p.Matrix == nil {
				drops = append(drops, drop) // dropped once anyway
			} else if !seen[drop.Node] {
				seen[drop.Node] = true
				drops = append(drops, drop)
			}
		}
	}
	return drops
}
