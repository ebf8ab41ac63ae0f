package placement

import (
	"cmp"
	"maps"
	"slices"
)

// quotasOf are the quotas that govern a request, by name.
func (v *view) quotasOf(r *Request) []*quota {
	all := v.quotas
	if r.kind == machine {
		all = v.machineQuotas
	}
	var found []*quota
	for _, q := range all {
		if q.key.Namespace == r.object.Namespace && q.governs(r) {
			found = append(found, q)
		}
	}
	slices.SortFunc(found, func(a, b *quota) int { return cmp.Compare(a.key.Name, b.key.Name) })
	return found
}

// usedOf is what is used of a quota; of a MachineQuota, by the placed Machines.
func (v *view) usedOf(q *quota) map[string]int64 {
	used := maps.Clone(q.used)
	if used == nil {
		used = map[string]int64{}
		for key, p := range v.machines {
			if key.Namespace == q.key.Namespace {
				v.addTo(used, p)
			}
		}
	}
	for name, amount := range v.claimed[q] {
		used[name] += amount
	}
	return used
}

func (v *view) addTo(used map[string]int64, p *placed) {
	used["machines"]++
	for i, number := range p.usage.numbers {
		used[v.names.names[number]] += p.usage.amounts[i]
	}
}

// own is what a request that is placed already has in its quotas' usage, and so
// takes no second time: nothing when it is not, or when it left a drained node, as
// Rank has given that back. Of limits the usage of a placed Pod keeps nothing, so
// that they count as unchanged.
func (v *view) own(r *Request) map[string]int64 {
	self := v.itself(r)
	if self == nil || v.departed(self) {
		return nil
	}
	placed := &Request{kind: r.kind, limits: r.limits}
	for i, number := range self.usage.numbers {
		placed.needs = append(placed.needs, need{v.names.names[number], self.usage.amounts[i]})
	}
	return placed.takes()
}

// claim takes a placed request's share of its quotas, before it is added.
func (v *view) claim(r *Request) {
	own := v.own(r)
	for _, q := range v.quotasOf(r) {
		if v.claimed == nil {
			v.claimed = map[*quota]map[string]int64{}
		}
		if v.claimed[q] == nil {
			v.claimed[q] = map[string]int64{}
		}
		for name, amount := range r.takes() {
			v.claimed[q][name] += amount - own[name]
		}
	}
}
