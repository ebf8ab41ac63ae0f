package review

import (
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// finding is what a walk found for a request: the outcome, and the names of the
// classes that govern the Pod.
type finding struct {
	request *Request
	options Options
	outcome lineage.Outcome            // nil when a class was given and no walk was made
	classes []string                   // distinct, in the order of the releases
	action  v1alpha1.EnforcementAction // in force, once the classes are known
}

// judge turns the finding into a verdict by the classes as these policies have
// them. A chain that could not be followed is refused before any class is asked.
func (f *finding) judge(policies *policy.Snapshot) Verdict {
	switch outcome := f.outcome.(type) {
	case lineage.Unknown:
		return f.ownerUnreadable(outcome)
	case lineage.Broken:
		return f.ownerBroken(outcome)
	case lineage.Unmanaged:
		return f.verdict(NotGoverned, NoRelease)
	}
	if len(f.classes) == 0 {
		return f.verdict(NotGoverned, NoClass)
	}
	return f.check(policies)
}

func (f *finding) check(policies *policy.Snapshot) Verdict {
	compiled := make([]*affinityclass.Class, 0, 1)
	for _, name := range f.classes {
		if why := policy.MalformedName(name); why != "" {
			return f.classMalformed(name, why)
		}
		class, err := policies.Class(name)
		if err != nil {
			return f.classUnusable(name, err)
		}
		compiled = append(compiled, class)
	}
	return f.contract(compiled, policies)
}

// contract holds the Pod to every class: where releases are ambiguous, no class
// among them may be escaped.
func (f *finding) contract(classes []*affinityclass.Class, policies *policy.Snapshot) Verdict {
	var broken []affinityclass.Violation
	var escaped []*affinityclass.Class
	for _, class := range classes {
		if found := class.Check(f.request.Pod.Spec.Constraints); len(found) > 0 {
			broken, escaped = append(broken, found...), append(escaped, class)
		}
	}
	if len(broken) == 0 {
		f.action = f.strictest(classes)
		return f.verdict(Allowed, ContractKept)
	}
	f.action = f.strictest(escaped) // a stricter class that is kept makes nothing worse
	if exemption, ok := f.exemption(policies); ok {
		v := f.verdict(Allowed, Exempt)
		v.Violations = broken
		v.Facts.Exempt = exemption.Name() + ": " + exemption.Reason()
		return v
	}
	if contradictory(classes) {
		return f.soften(f.classesConflict(classes, broken))
	}
	return f.soften(f.contractBroken(broken))
}

// strictest is what a broken contract means: the action of the strictest class,
// or the namespace's mode if that is milder.
func (f *finding) strictest(classes []*affinityclass.Class) v1alpha1.EnforcementAction {
	action := v1alpha1.Audit
	for _, class := range classes {
		switch class.Action() {
		case v1alpha1.Deny:
			action = v1alpha1.Deny
		case v1alpha1.Warn:
			if action == v1alpha1.Audit {
				action = v1alpha1.Warn
			}
		}
	}
	return f.request.Mode.Milder(action)
}

// exemption covers Pods by who creates them; a template has no creator yet.
func (f *finding) exemption(policies *policy.Snapshot) (*affinityclass.Exemption, bool) {
	if f.request.Template != nil {
		return nil, false
	}
	return policies.Exempt(f.request.creation(), f.request.Now)
}

func contradictory(classes []*affinityclass.Class) bool {
	for i, class := range classes {
		for _, other := range classes[i+1:] {
			if class.Contradicts(other) {
				return true
			}
		}
	}
	return false
}

// classNames lists the classes of the releases that a walk reached.
func classNames(outcome lineage.Outcome) []string {
	var names []string
	for _, branch := range branches(outcome) {
		if name, ok := topmostClass(branch); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func branches(outcome lineage.Outcome) []lineage.Resolved {
	switch outcome := outcome.(type) {
	case lineage.Resolved:
		return []lineage.Resolved{outcome}
	case lineage.Ambiguous:
		return outcome.Branches
	default:
		return nil
	}
}

// topmostClass is the class named by the topmost release of the chain that
// names one: a child release inherits its parent's.
func topmostClass(resolved lineage.Resolved) (string, bool) {
	for _, release := range slices.Backward(resolved.Releases()) {
		if name, ok := policy.ClassName(release.Labels); ok {
			return name, true
		}
	}
	return "", false
}

func (f *finding) className() string { return strings.Join(f.classes, ",") }
