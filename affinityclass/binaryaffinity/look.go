package binaryaffinity

import (
	"iter"
	"slices"
)

// Ask is a value and the Pod that asks it.
type Ask struct {
	Value Value
	Asker Asker
}

// Sight is what a Pod would find on one node.
type Sight struct {
	// Score is +1 per neighbour and tag preferred with, −1 per neighbour and tag
	// preferred without. It is a sum: many of the one outvote few of the other.
	Score int64
	// InstanceCount is how many neighbours made the score.
	InstanceCount int
	// Considered are the names of those neighbours, sorted.
	Considered []string
	// Refusal is why the node cannot do; zero when it can.
	Refusal Refusal
}

// Look judges a node by the Pods on it. Nothing is read of them when the value
// is empty.
func (a Ask) Look(pods iter.Seq[*Placed]) Sight {
	if a.Value.Empty() || pods == nil {
		return Sight{}
	}
	var sight Sight
	seen := found{without: len(a.Value.RequireWithout)}
	for p := range pods {
		if !a.Asker.Neighbour(p) {
			continue
		}
		seen.add(a.Value, p)
		score, matches := a.Value.score(p)
		sight.Score += score
		if matches {
			sight.InstanceCount++
			sight.Considered = append(sight.Considered, p.Name)
		}
	}
	slices.Sort(sight.Considered)
	sight.Refusal = seen.refusal(a.Value)
	return sight
}

// score is what one neighbour adds, and whether it bears any tag preferred.
func (v Value) score(p *Placed) (sum int64, matches bool) {
	for _, tag := range v.PreferWith {
		if p.Bears(tag) {
			sum, matches = sum+1, true
		}
	}
	for _, tag := range v.PreferWithout {
		if p.Bears(tag) {
			sum, matches = sum-1, true
		}
	}
	return sum, matches
}

// Refusal is why a node cannot do. Comparable, so that refusals can be counted.
type Refusal struct {
	Word Word
	// Tag is the tag missing, or the one in the way. Empty when each tag required
	// is there but no one neighbour bears them all.
	Tag string
}

func (r Refusal) String() string {
	switch {
	case r.Word == RequireWithout:
		return string(r.Word) + " " + r.Tag + ": a Pod there bears it"
	case r.Tag == "" && r.Word == RequireWith:
		return string(r.Word) + ": no one Pod there bears all the tags"
	case r.Word == RequireWith:
		return string(r.Word) + " " + r.Tag + ": no Pod there bears it"
	}
	return ""
}
