// Package pipeline writes the results of a check as a pipeline reads them: JUnit XML
// for lists of tests, SARIF for remarks beside the lines of files.
//
// It decides nothing, and leaves nothing out: what is denied or not known fails,
// what is warned of is said.
package pipeline

import (
	"cmp"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/webhook/review"
)

// finding is one thing to be told of a result: a violation or, when it has none,
// the result itself.
type finding struct {
	result *check.Result
	field  string
	text   string
}

// findings of a result, one for each violation; none when there is nothing to tell.
func findings(r *check.Result) []finding {
	if r.Verdict == review.Allowed || r.Verdict == review.NotGoverned {
		return nil
	}
	if len(r.Violations) == 0 {
		return []finding{{result: r, field: r.Path, text: r.Message}}
	}
	var found []finding
	for _, violation := range r.Violations {
		found = append(found, finding{result: r, field: violation.Field, text: told(r, violation)})
	}
	return found
}

// told is what is wrong, and what mends it.
func told(r *check.Result, violation affinityclass.Violation) string {
	text := title(r) + ": " + violation.Message
	if r.Class != "" {
		text += " by AffinityClass " + r.Class
	}
	text += "; the field is " + violation.Field
	if r.Mend != "" {
		text += "; " + r.Mend
	}
	return text
}

func title(r *check.Result) string {
	name := r.Object.Name
	if r.Object.Namespace != "" {
		name = r.Object.Namespace + "/" + name
	}
	return r.Object.Kind + " " + name
}

// rule is what a finding is about: the reason and the field of the Pod.
func (f *finding) rule() string {
	field := ""
	for _, known := range []string{"nodeSelector", "nodeAffinity"} {
		if strings.Contains(f.field, known) {
			field = known
			break
		}
	}
	return strings.TrimSuffix(string(f.result.Reason)+"/"+cmp.Or(field, ""), "/")
}
