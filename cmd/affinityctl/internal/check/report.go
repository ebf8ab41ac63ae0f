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

func (r *Report) add(document *manifest.Document, path string, v *review.Verdict) {
	result := Result{
		Object: Object{document.APIVersion, document.Object.Kind, v.Facts.Subject.Namespace, v.Facts.Subject.Name},
		Path:   path, Class: v.Facts.Class, Verdict: v.Kind, Reason: v.Reason, Code: v.Code, Message: v.Message,
		Violations: []affinityclass.Violation{},
	}
	if release := v.Facts.Release; release != nil {
		result.Release = release.Namespace + "/" + release.Name
	}
	for _, violation := range v.Violations {
		violation.Field = join(result.Path, violation.Field)
		result.Violations = append(result.Violations, violation)
	}
	r.Results = append(r.Results, result)
	r.Summary.count(v.Kind)
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
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
