package review

import (
	"context"
	"slices"

	"github.com/cozystack/affinityclass/lineage"
)

// parentage is what a release is a part of.
type parentage struct {
	child   bool   // it is a part of another release
	class   string // of that one; empty: none
	name    string // of that one, for people
	refusal *denial
}

// parentOf walks from a release that stands for no application of its own to the one
// that it is a part of.
func (r *Reviewer) parentOf(ctx context.Context, req *ReleaseRequest, get lineage.Getter) parentage {
	self := req.Object.object(req.Namespace)
	if self.Release.Remote || lineage.IsApplication(self) || len(self.Owners) == 0 && self.Labels[lineage.LabelFluxName] == "" {
		return parentage{}
	}
	outcome := lineage.Trace(ctx, self, get)
	switch outcome := outcome.(type) {
	case lineage.Unknown:
		return parentage{child: true, refusal: parentUnread(outcome)}
	case lineage.Broken:
		return parentage{child: true, refusal: parentBroken(outcome)}
	}
	return parentIn(self, outcome)
}

func parentIn(self *lineage.Object, outcome lineage.Outcome) parentage {
	var p parentage
	var classes []string
	for _, branch := range branches(outcome) {
		if branch.Release == self {
			continue
		}
		p.child, p.name = true, branch.Release.Namespace+"/"+branch.Release.Name
		branch.Chain = branch.Chain[1:] // what the release itself bears is no evidence
		if _, class := topmostClass(branch); class != "" && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	switch len(classes) {
	case 0:
	case 1:
		p.class = classes[0]
	default:
		p.refusal = parentsDiffer(classes)
	}
	return p
}
