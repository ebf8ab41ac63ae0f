package review

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// binaryField is where a Pod bears its binary value.
func binaryField() *field.Path { return binaryaffinity.Path(nil) }

// readBinary reads what the Pod asks of its neighbours, once a finding. A Pod that
// exists already is not asked again.
func (f *finding) readBinary() {
	if f.request.ready == nil {
		f.binary, f.invalid = binaryaffinity.Of(f.request.Pod.Metadata.Annotations, binaryField())
	}
}

// refuseBinary refuses what the Pod itself shows to be wrong with its value. It
// needs neither class nor release, and no mode, action or exemption softens it.
func (f *finding) refuseBinary() (Verdict, bool) {
	if len(f.invalid) > 0 {
		return f.binaryMalformed(), true
	}
	if f.request.Template != nil {
		return Verdict{}, false // the terms are added to its Pods
	}
	lost := binaryaffinity.Missing(f.binary.Value, f.request.Pod.Spec.Affinity.ToPods())
	if lost.Empty() {
		return Verdict{}, false
	}
	return f.binaryLost(lost), true
}

func (f *finding) binaryMalformed() Verdict {
	var broken []affinityclass.Violation
	var causes []metav1.StatusCause
	var texts []string
	for _, err := range f.invalid {
		violation := affinityclass.Violation{Field: err.Field, Message: err.ErrorBody()}
		broken, texts = append(broken, violation), append(texts, f.binaryText(violation))
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Field: f.inTemplate(err.Field), Message: err.ErrorBody()})
	}
	v := f.refuse(refusal{
		kind: Denied, reason: BinaryMalformed, code: http.StatusBadRequest,
		what: strings.Join(texts, "; "), todo: "correct the annotation" + f.ofTop(),
	})
	v.Violations, v.Causes = broken, append(causes, v.Causes...)
	return v
}

// ofTop says whose Pods they are, if anybody's.
func (f *finding) ofTop() string {
	if owner := top(f.chain()); owner != nil && f.request.Template == nil {
		return fmt.Sprintf(" of the Pods of %s %s", owner.Object.Kind, owner.Object.Name)
	}
	return ""
}

// binaryLost answers for a Pod without the terms that would enforce its value.
// Between the webhook that adds them and this one they went, or it was not asked:
// that says nothing about the Pod, which asks for nothing wrong, so it is no denial.
func (f *finding) binaryLost(lost binaryaffinity.Value) Verdict {
	return f.refuse(refusal{
		kind: Unknown, reason: BinaryLost, code: http.StatusServiceUnavailable,
		cause: CauseBinary, field: "spec.affinity",
		what: fmt.Sprintf("spec.affinity lacks the terms that would enforce %s of %s", cut(lost.String()), binaryField()),
		todo: "the affinity webhook was not asked to add them, or another mutating webhook took them away: " +
			"try again, and if it stays have the platform admin look at the mutating webhooks",
	})
}

// binaryText is an error with its path, fit for a warning.
func (f *finding) binaryText(v affinityclass.Violation) string {
	return printable(f.inTemplate(v.Field)) + ": " + v.Message
}

// inTemplate is the path of a Pod's field in the object that was sent.
func (f *finding) inTemplate(path string) string {
	if template := f.request.Template; template != nil {
		return template.Path + "." + path
	}
	return path
}

// printable replaces control characters, which a key of the value may have: a
// warning with one never reaches anybody.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
