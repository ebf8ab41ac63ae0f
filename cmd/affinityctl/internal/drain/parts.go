package drain

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

// The verdicts on a Pod.
const (
	accepted  = "Accepted"
	refused   = "Refused"
	placed    = "Placed"
	contended = "Contended"
	nowhere   = "Nowhere"
)

// absorbing are the hosts that could take the placeholder of the report's size.
func (r *Report) absorbing() []surge.Host {
	names := r.audit.Size().Absorb
	var hosts []surge.Host
	for _, host := range r.audit.Hosts {
		if _, ok := slices.BinarySearch(names, host.Node); ok {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// host lists every Pod that leaves.
func (r *Report) host(h *surge.Host) Host {
	why := make(map[types.NamespacedName]*surge.Refused, len(h.Refused))
	for i := range h.Refused {
		why[h.Refused[i].Pod] = &h.Refused[i]
	}
	host := Host{Node: h.Node, Pods: make([]Pod, 0, len(r.audit.Leaving))}
	for i, key := range r.audit.Leaving {
		pod := Pod{Pod: r.Reschedulable[i], Verdict: accepted}
		if because, ok := why[key]; ok {
			pod = Pod{pod.Pod, refused, because.Stage, because.Reason.String(), because.Class, blocking(because.Reason), because.Reason.Term}
		}
		host.Pods = append(host.Pods, pod)
	}
	return host
}

func elsewhere(p *surge.Place) Elsewhere {
	e := Elsewhere{Pod: p.Pod.String(), Verdict: placed, Node: p.Node}
	if p.Node != "" {
		return e
	}
	e.Verdict, e.Possible, e.Reasons, e.Class = contended, p.Possible, p.Preview.Reasons(), p.Class()
	if p.Nowhere() {
		e.Verdict = nowhere
	}
	for _, stage := range p.Preview.Stages {
		for _, drop := range stage.Dropped {
			e.Refusals = append(e.Refusals, Refusal{
				drop.Node, stage.Name, drop.Reason.String(), blocking(drop.Reason), drop.Reason.Term, surge.Classify(stage.Name, drop.Reason),
			})
		}
	}
	return e
}

func blocking(reason *placement.Reason) string {
	if reason.Blocking.Name == "" {
		return ""
	}
	return reason.Blocking.String()
}

func sized(s *surge.Size) Size {
	size := Size{Absorb: len(s.Absorb), Excluded: len(s.Excluded), Unplaced: names(s.Unplaced), Extra: quantities(s.Extra())}
	if !s.Reserves() {
		return size
	}
	size.Requests = quantities(s.Requests)
	if s.Headroom != "" {
		size.Headroom = &Headroom{s.Headroom, quantities(s.Short)}
	}
	return size
}

// unmodelled joins what is not judged of each Pod with its volumes.
func unmodelled(a *surge.Report) []Unmodelled {
	found := []Unmodelled{}
	for _, u := range a.Unmodelled {
		entry := Unmodelled{Pod: u.Pod.String(), What: u.What}
		for _, pinned := range a.Pinned {
			if pinned.Pod != u.Pod {
				continue
			}
			name := pinned.Volume
			if pinned.Claim != "" {
				name += " (claim " + pinned.Claim + ")"
			}
			entry.Volumes = append(entry.Volumes, name)
		}
		found = append(found, entry)
	}
	return found
}

// Covered says whether every Pod has a place: on each host that could take the
// placeholder or, where none could, in the rest of the cluster; and no quota refuses
// it or the placeholder.
func (r *Report) Covered() bool {
	size := r.audit.Size()
	if len(size.Refused) > 0 || len(size.Unplaced) > 0 || size.OverQuota != nil {
		return false
	}
	if slices.ContainsFunc(r.audit.Elsewhere, func(p surge.Place) bool { return p.OverQuota() != nil }) {
		return false // on the host of the placeholder as well
	}
	if len(size.Absorb) > 0 {
		return true
	}
	return !slices.ContainsFunc(r.audit.Elsewhere, func(p surge.Place) bool { return p.Node == "" })
}
