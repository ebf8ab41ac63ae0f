package surge

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// The ordinary situations in which an occupied host takes a whole node's worth.
const (
	LargerHost      = "larger host"
	LighterOverhead = "less DaemonSet overhead"
	WeightlessPods  = "Pods that request neither cpu nor memory"
)

// Residual is one such situation on one host.
type Residual struct {
	Host, Name, Detail string
}

// residuals names what lets the occupied hosts that could take a whole node's
// worth take it.
func (a *audit) residuals() []Residual {
	var found []Residual
	own := overhead(a.candidate.Pods)
	room := placement.Allocatable(a.candidate.Node)
	for _, name := range a.report.WholeNode.Absorb {
		host := a.Survey.hosts[name]
		if host == nil || host.node == nil {
			continue
		}
		all, weightless := host.workload(a.standing)
		if all == 0 {
			continue
		}
		if detail := larger(placement.Allocatable(host.node), room); detail != "" {
			found = append(found, Residual{name, LargerHost, detail})
		}
		if detail := lighter(host.daemons(), own); detail != "" {
			found = append(found, Residual{name, LighterOverhead, detail})
		}
		if len(weightless) > 0 {
			found = append(found, Residual{name, WeightlessPods, some(weightless)})
		}
	}
	return found
}

func larger(host, candidate placement.Amounts) string {
	var parts []string
	for _, name := range raised() {
		if host[name] > candidate[name] {
			parts = append(parts, fmt.Sprintf("%s %s, the candidate has %s", name, quantity(name, host[name]), quantity(name, candidate[name])))
		}
	}
	return strings.Join(parts, "; ")
}

func lighter(host, candidate placement.Amounts) string {
	var parts []string
	for _, name := range raised() {
		if host[name] < candidate[name] {
			parts = append(parts, fmt.Sprintf("DaemonSets request %s of %s, on the candidate %s", quantity(name, host[name]), name, quantity(name, candidate[name])))
		}
	}
	return strings.Join(parts, "; ")
}

const shownPods = 5 // that a residual names

// some are the first of some Pods.
func some(pods []types.NamespacedName) string {
	var names []string
	keys := sortKeys(pods)
	for _, key := range keys[:min(shownPods, len(keys))] {
		names = append(names, key.String())
	}
	text := strings.Join(names, ", ")
	if more := len(keys) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
