package binaryaffinity

import "slices"

// Stage is the name of the filter in answers and previews.
const Stage = "affinity_constraints"

// found collects what the neighbours on a node bear of the tags required.
type found struct {
	all     bool            // one bears every tag to be with
	with    map[string]bool // tags to be with that somebody bears
	without int             // place of the first tag in the way, or past the last
}

func (f *found) add(v Value, p *Placed) {
	count := 0
	for _, tag := range v.RequireWith {
		if p.Bears(tag) {
			if f.with == nil {
				f.with = map[string]bool{}
			}
			f.with[tag] = true
			count++
		}
	}
	f.all = f.all || count == len(v.RequireWith)
	for i, tag := range v.RequireWithout[:f.without] {
		if p.Bears(tag) {
			f.without = i
			break
		}
	}
}

// refusal is the first constraint that the node breaks.
func (f *found) refusal(v Value) Refusal {
	for _, tag := range v.RequireWith {
		if !f.with[tag] {
			return Refusal{Word: RequireWith, Tag: tag}
		}
	}
	if len(v.RequireWith) > 0 && !f.all {
		return Refusal{Word: RequireWith}
	}
	if f.without < len(v.RequireWithout) {
		return Refusal{Word: RequireWithout, Tag: v.RequireWithout[f.without]}
	}
	return Refusal{}
}

// FirstOfGroup are the tags that a Pod requires to be with and bears itself,
// while nobody placed bears them: it waits for its own like. That is the model;
// such a group is begun by a Pod that bears the tag and does not ask, or asks by
// prefer_with_tag.
func (a Ask) FirstOfGroup(own []string, borne func(tag string) bool) (tags []string) {
	for _, tag := range a.Value.RequireWith {
		if slices.Contains(own, tag) && !borne(tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
