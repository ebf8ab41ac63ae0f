package check

import (
	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Report is the answer of a check; its JSON is documented in docs/.
type Report struct {
	Results []Result `json:"results"`
	Summary Summary  `json:"summary"`
	Notes   []string `json:"notes,omitempty"` // what of the input was not applied
}

// Result is the verdict on one Pod or Pod template.
type Result struct {
	Object     Object                    `json:"object"`
	Path       string                    `json:"path"` // of the template; empty for a Pod
	Class      string                    `json:"class"`
	Release    string                    `json:"release"`
	Verdict    review.Kind               `json:"verdict"`
	Reason     review.Reason             `json:"reason"`
	Code       int32                     `json:"code"` // 0 when allowed
	Message    string                    `json:"message,omitempty"`
	Violations []affinityclass.Violation `json:"violations"`
	Source     Source                    `json:"source"`
	// Mend says how a chart keeps its class here, where that is known.
	Mend string `json:"mend,omitempty"`
	// Place is of the template, for who looks into the text; nil for a Pod.
	Place *Place `json:"-"`
}

// Source is where the object stands: lines of a file or, for what a chart has
// rendered, of the template.
type Source struct {
	File     string `json:"file"`
	Document int    `json:"document"` // counts the objects of the file from 1
	Line     int    `json:"line"`
	End      int    `json:"endLine,omitempty"` // 0: not known
}

// Place is where in an object a Pod has its constraints.
type Place struct {
	Path                       string
	NodeSelector, NodeAffinity string
	Custom                     bool // of an operator's resource, by paths of its own
}

// Object names what was judged.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Summary counts the verdicts.
type Summary struct {
	Allowed     int `json:"allowed"`
	Denied      int `json:"denied"`
	Warned      int `json:"warned"`
	NotGoverned int `json:"notGoverned"`
	Unknown     int `json:"unknown"`
}

// OK says whether everything may pass.
func (r *Report) OK() bool { return r.Summary.Denied == 0 && r.Summary.Unknown == 0 }

func newReport(results []Result, notes []string) *Report {
	r := &Report{Results: results, Notes: notes}
	if r.Results == nil {
		r.Results = []Result{}
	}
	for i := range results {
		r.Summary.count(results[i].Verdict)
	}
	return r
}

// result is the verdict on the item, or on a Pod of the template in it.
func (i *Item) result(template *review.Template, v *review.Verdict) Result {
	result := Result{
		Object: Object{i.document.APIVersion, i.document.Object.Kind, v.Facts.Subject.Namespace, v.Facts.Subject.Name},
		Class:  v.Facts.Class, Verdict: v.Kind, Reason: v.Reason, Code: v.Code, Message: v.Message,
		Violations: []affinityclass.Violation{}, Source: i.source(),
	}
	if release := v.Facts.Release; release != nil {
		result.Release = release.Namespace + "/" + release.Name
	}
	for _, violation := range v.Violations {
		if template != nil {
			violation.Field = template.Field(violation.Field)
		}
		result.Violations = append(result.Violations, violation)
	}
	if template != nil {
		result.Path = template.Path
		result.Place = &Place{
			Path: template.Path, NodeSelector: template.Field(affinityclass.NodeSelectorField),
			NodeAffinity: template.Field(affinityclass.NodeAffinityField), Custom: template.Fields != nil,
		}
	}
	return result
}

func (i *Item) source() Source {
	return Source{File: i.document.File, Document: i.document.Index, Line: i.document.Line, End: i.document.End}
}

func objectOf(document *manifest.Document) Object {
	object := document.Object
	return Object{document.APIVersion, object.Kind, object.Namespace, object.Name}
}

func (s *Summary) count(kind review.Kind) {
	switch kind {
	case review.Allowed:
		s.Allowed++
	case review.Denied:
		s.Denied++
	case review.Warned:
		s.Warned++
	case review.NotGoverned:
		s.NotGoverned++
	case review.Unknown:
		s.Unknown++
	}
}
