package review

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/lineage"
)

// The types of a refusal's causes. The last three are on every refusal that
// knows them: what it rests on.
const (
	CauseViolation metav1.CauseType = "AffinityClassViolation"
	CauseClass     metav1.CauseType = "AffinityClassUnusable"
	CauseNotFound  metav1.CauseType = "ClassNotFound"
	CauseReferrer  metav1.CauseType = "Referrer"
	CauseOwner     metav1.CauseType = "OwnerReference"
	CauseBinary    metav1.CauseType = "BinaryAffinity"
	CauseOfClass   metav1.CauseType = "AffinityClass"
	CauseOfRelease metav1.CauseType = "HelmRelease"
	CauseOfLineage metav1.CauseType = "Lineage"
)

// refusal is what makes one refusal differ from another.
type refusal struct {
	kind   Kind
	reason Reason
	code   int32
	what   string // what is wrong, wanted and found
	todo   string // what to do about it
	cause  metav1.CauseType
	field  string
}

// refuse words a refusal: "<object> (<application>): <what>; <what to do>".
func (f *finding) refuse(r refusal) Verdict {
	v := f.verdict(r.kind, r.reason)
	v.Code = r.code
	v.Facts.Chain, v.Facts.Top = lineage.ChainString(f.shown()), top(f.chain())
	v.Message = fmt.Sprintf("%s: %s; %s", f.title(), r.what, r.todo)
	if r.cause != "" {
		v.Causes = append(v.Causes, metav1.StatusCause{Type: r.cause, Field: r.field, Message: r.what})
	}
	v.Causes = append(v.Causes, f.grounds(v.Facts)...)
	return v
}

// refuseBroken is a refusal with a cause for each violation.
func (f *finding) refuseBroken(r refusal, broken []affinityclass.Violation) Verdict {
	v := f.refuse(r)
	v.Violations = broken
	v.Causes = append(violationCauses(broken), v.Causes...)
	return v
}

func (f *finding) title() string {
	subject := f.subject()
	title := subject.Kind + " " + subject.Namespace + "/" + subject.Name
	if names := f.applications(); names != "" {
		title += " (" + names + ")"
	}
	return title
}

func (f *finding) grounds(facts Facts) []metav1.StatusCause {
	var causes []metav1.StatusCause
	for _, class := range f.classes {
		causes = append(causes, metav1.StatusCause{Type: CauseOfClass, Message: class})
	}
	for _, branch := range branches(f.outcome) {
		causes = append(causes, metav1.StatusCause{Type: CauseOfRelease, Message: branch.Release.Namespace + "/" + branch.Release.Name})
	}
	if facts.Chain != "" {
		causes = append(causes, metav1.StatusCause{Type: CauseOfLineage, Message: facts.Chain})
	}
	return causes
}

func (f *finding) contractBroken(broken []affinityclass.Violation) Verdict {
	return f.refuseBroken(refusal{
		kind: Denied, reason: ContractBroken, code: http.StatusForbidden,
		what: wants(broken), todo: f.whereToSet(broken),
	}, broken)
}

func (f *finding) classesConflict(classes []*affinityclass.Class, broken []affinityclass.Violation) Verdict {
	var names []string
	for _, class := range classes {
		names = append(names, fmt.Sprintf("%q", class.Name()))
	}
	return f.refuseBroken(refusal{
		kind: Denied, reason: ClassesConflict, code: http.StatusConflict,
		what: "it belongs to releases with contradicting classes: AffinityClass " + strings.Join(names, " and "),
		todo: "give the releases one class, or leave the Pod one owner",
	}, broken)
}

// wants lists every missing pair under its class, in the order of the
// violations, and after them how a Pod escapes a class's terms.
func wants(broken []affinityclass.Violation) string {
	var parts []string
	for len(broken) > 0 {
		class := broken[0].Class
		var pairs []string
		for len(broken) > 0 && broken[0].Class == class && broken[0].Key != "" {
			pairs = append(pairs, fmt.Sprintf("nodeSelector %s=%s (%s)", broken[0].Key, broken[0].Want, broken[0].Seen))
			broken = broken[1:]
		}
		if len(pairs) > 0 {
			parts = append(parts, fmt.Sprintf("AffinityClass %q requires %s", class, strings.Join(pairs, ", ")))
		}
		if len(broken) > 0 && broken[0].Class == class {
			parts = append(parts, fmt.Sprintf("AffinityClass %q: %s", class, broken[0].Message))
			broken = broken[1:]
		}
	}
	return strings.Join(parts, "; ")
}

// whereToSet names the field to mend: nodeSelector, unless only an affinity can
// say what a class with terms wants.
func (f *finding) whereToSet(broken []affinityclass.Violation) string {
	verb, where := "set it in ", affinityclass.NodeSelectorField
	if last := broken[len(broken)-1]; last.Key == "" {
		verb, where = "narrow it by ", last.Field
	}
	if f.request.Template != nil {
		return verb + f.request.Template.Field(where)
	}
	what := verb + where
	if owner := top(f.chain()); owner != nil {
		return fmt.Sprintf("%s of the Pods of %s %s", what, owner.Object.Kind, owner.Object.Name)
	}
	return what
}

func violationCauses(broken []affinityclass.Violation) []metav1.StatusCause {
	causes := make([]metav1.StatusCause, 0, len(broken))
	for _, violation := range broken {
		path := violation.Field
		if violation.Key != "" {
			path = field.NewPath("spec", "nodeSelector").Key(violation.Key).String()
		}
		causes = append(causes, metav1.StatusCause{Type: CauseViolation, Field: path,
			Message: violationText(violation)})
	}
	return causes
}

func violationText(v affinityclass.Violation) string {
	if v.Fence {
		return v.Message
	}
	return fmt.Sprintf("AffinityClass %q: %s", v.Class, v.Message)
}
