package review

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// finding is what a walk found for a request: the outcome, and the names of the
// classes that govern the Pod.
type finding struct {
	request *Request
	options Options
	binary  binaryaffinity.Parsed      // what the Pod asks of its neighbours
	invalid field.ErrorList            // why that cannot be read; paths are those of a Pod
	outcome lineage.Outcome            // nil when a class was given and no walk was made
	classes []string                   // distinct, in the order of the releases
	former  map[string][]string        // classes that a release had until its change is done, by the new one
	action  v1alpha1.EnforcementAction // in force, once the classes are known
	tenancy *policy.Tenancy            // of the namespace, once policies are known
}

// judge turns the finding into a verdict by classes and tenants as these policies
// have them. A chain that could not be followed is refused before any is asked.
func (f *finding) judge(policies *policy.Snapshot) Verdict {
	if v, ok := f.unfollowed(); ok {
		return v
	}
	f.tenancy = &policy.Tenancy{}
	if f.options.Class == "" {
		f.tenancy = policies.Tenancy(f.request.Namespace)
	}
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
	return f.hold(compiled, policies)
}

// unfollowed is the verdict on a Pod whose chain could not be followed.
func (f *finding) unfollowed() (Verdict, bool) {
	switch outcome := f.outcome.(type) {
	case lineage.Unknown:
		return f.ownerUnreadable(outcome), true
	case lineage.Broken:
		return f.ownerBroken(outcome), true
	}
	return Verdict{}, false
}

// hold holds the Pod to its tenant's fence and to every class: where releases are
// ambiguous, no class among them may be escaped.
func (f *finding) hold(classes []*affinityclass.Class, policies *policy.Snapshot) Verdict {
	broken, escaped, reason := f.contract(classes, policies)
	outside := f.fence(classes, escaped)
	if len(broken) == 0 && len(outside) == 0 {
		f.action = f.strictest(classes)
		return f.kept(reason)
	}
	f.action = f.strictest(escaped) // a stricter class that is kept makes nothing worse
	if len(outside) > 0 {
		f.action = f.request.Mode.Milder(v1alpha1.Deny) // no class softens the fence
	}
	if exemption, ok := f.exemption(policies); ok {
		v := f.verdict(Allowed, Exempt)
		v.Violations = append(outside, broken...)
		v.Facts.Exempt = exemption.Name() + ": " + exemption.Reason()
		return v
	}
	switch {
	case len(outside) > 0:
		return f.soften(f.fenceBroken(outside, broken))
	case contradictory(classes):
		return f.soften(f.classesConflict(classes, broken))
	default:
		return f.soften(f.contractBroken(broken))
	}
}

// contract gives what the Pod breaks, of which classes, and why it passes if it
// breaks nothing.
func (f *finding) contract(classes []*affinityclass.Class, policies *policy.Snapshot) (broken []affinityclass.Violation, escaped []*affinityclass.Class, reason Reason) {
	reason = ContractKept
	for _, class := range classes {
		found := class.Check(f.request.Pod.Spec.Constraints)
		if len(found) == 0 {
			continue
		}
		if f.keepsFormer(class, policies) {
			reason = ClassChanging
			continue
		}
		broken, escaped = append(broken, found...), append(escaped, class)
	}
	return broken, escaped, reason
}

// keepsFormer says whether the Pod is one of a release whose change of class is not
// done: what the label says runs ahead of what is rendered.
func (f *finding) keepsFormer(class *affinityclass.Class, policies *policy.Snapshot) bool {
	return slices.ContainsFunc(f.former[class.Name()], func(name string) bool {
		if name == policy.NoneBefore {
			return true
		}
		former, err := policies.Class(name)
		return err == nil && len(former.Check(f.request.Pod.Spec.Constraints)) == 0
	})
}

// kept is the verdict on a Pod that breaks nothing.
func (f *finding) kept(reason Reason) Verdict {
	switch {
	case len(f.classes) > 0:
		return f.verdict(Allowed, reason)
	case f.tenancy.Restricted:
		return f.verdict(Allowed, FenceKept)
	case len(branches(f.outcome)) > 0:
		return f.verdict(NotGoverned, NoClass)
	default:
		return f.verdict(NotGoverned, NoRelease)
	}
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

// classNames lists the classes of the releases that a walk reached, and those that
// a release had before and whose Pods may still come.
func classNames(outcome lineage.Outcome) (names []string, former map[string][]string) {
	for _, branch := range branches(outcome) {
		release, name := topmostClass(branch)
		if release == nil {
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		for _, each := range branch.Releases() {
			for _, behind := range trailing(each, name) {
				if former == nil {
					former = map[string][]string{}
				}
				if !slices.Contains(former[name], behind) { // each costs a proof
					former[name] = append(former[name], behind)
				}
			}
		}
	}
	return names, former
}

// trailing are the classes of which what a release has deployed may still be, while its
// application is of this one. A parent is ready before its parts have followed.
func trailing(release *lineage.Object, class string) []string {
	var behind []string
	derived := policy.ReadDerived(release.Labels, release.Annotations)
	if derived.Source == policy.Parent && derived.Class != class && policy.MalformedName(derived.Class) == "" {
		behind = append(behind, derived.Class) // it has not been told yet
	}
	if !release.Release.Settled() {
		behind = append(behind, derived.Previous...)
	}
	return behind
}

// classesAsked are all classes that a judgement may ask for.
func (f *finding) classesAsked() []string {
	asked := slices.Clone(f.classes)
	for _, former := range f.former {
		for _, name := range former {
			if name != policy.NoneBefore && !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
		}
	}
	return asked
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

// topmostClass is the topmost release of the chain that names a class, and that
// class: a child release inherits its parent's.
func topmostClass(resolved lineage.Resolved) (*lineage.Object, string) {
	for _, release := range slices.Backward(resolved.Releases()) {
		if name, ok := policy.ClassName(release.Labels); ok {
			return release, name
		}
	}
	return nil, ""
}

func (f *finding) className() string { return strings.Join(f.classes, ",") }
