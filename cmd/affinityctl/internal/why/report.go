// Package why tells why a Pod is let in, warned about or refused, and what would
// mend it. It decides nothing: the verdict is webhook/review's, the chain lineage's.
package why

import (
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chain"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Report is the answer, an item for each object asked about.
type Report struct {
	Items []Item   `json:"items"`
	Notes []string `json:"notes,omitempty"` // what was not considered
}

// Item is the verdict on one Pod or Pod template.
type Item struct {
	Object     chain.Object              `json:"object"`
	Path       string                    `json:"path"` // of the template; empty for a Pod
	Verdict    review.Kind               `json:"verdict"`
	Reason     review.Reason             `json:"reason"`
	Code       int32                     `json:"code"` // 0 when allowed
	Mode       policy.Mode               `json:"mode"` // by which it was judged
	Governed   bool                      `json:"governed"`
	Class      string                    `json:"class"`
	Selector   string                    `json:"selector,omitempty"` // of the class, for people
	Release    string                    `json:"release"`
	Message    string                    `json:"message,omitempty"`
	Violations []affinityclass.Violation `json:"violations"`
	Warnings   []string                  `json:"warnings"`
	Labels     []string                  `json:"labels"` // changes that admission would make: key=value, or key- for one to go
	Lineage    *chain.Report             `json:"lineage"`
	Scheduling string                    `json:"scheduling,omitempty"` // of a Pod that waits for a node
	Next       string                    `json:"next,omitempty"`       // command that says more of it
}

// Of writes a verdict down.
func Of(object chain.Object, request *review.Request, v *review.Verdict) Item {
	i := Item{Object: object, Verdict: v.Kind, Reason: v.Reason, Code: v.Code, Mode: request.Mode, Class: v.Facts.Class,
		Message: v.Message, Violations: []affinityclass.Violation{}, Warnings: append([]string{}, v.Warnings...), Labels: []string{}}
	if request.Template != nil {
		i.Path = request.Template.Path
	}
	if release := v.Facts.Release; release != nil {
		i.Release = release.Namespace + "/" + release.Name
	}
	for _, violation := range v.Violations {
		if i.Path != "" {
			violation.Field = i.Path + "." + violation.Field
		}
		i.Violations = append(i.Violations, violation)
	}
	return i
}

// Relabel writes down the changes of labels, sorted.
func (i *Item) Relabel(ops []review.PatchOp) {
	for _, op := range ops {
		if all, ok := op.Value.(map[string]string); ok { // a Pod without labels gets them at once
			for key, value := range all {
				i.Labels = append(i.Labels, key+"="+value)
			}
			continue
		}
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(op.Path, "/metadata/labels/"))
		if value, ok := op.Value.(string); ok && op.Op != "remove" {
			i.Labels = append(i.Labels, key+"="+value)
		} else {
			i.Labels = append(i.Labels, key+"-")
		}
	}
	slices.Sort(i.Labels)
}

// Worst is the answer that counts: Unknown over Denied over the rest. What no webhook
// is asked about is refused by none.
func (r *Report) Worst() review.Kind {
	worst := review.Allowed
	for n := range r.Items {
		switch i := &r.Items[n]; {
		case i.Verdict == review.Unknown:
			return review.Unknown
		case i.Verdict == review.Denied && i.Governed:
			worst = review.Denied
		}
	}
	return worst
}
