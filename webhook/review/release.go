package review

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// ReleaseRequest is a change of a HelmRelease: Object alone is a creation.
type ReleaseRequest struct {
	Namespace   string
	Object, Old *HelmRelease
	DryRun      bool
}

// derivation is what becomes of a release.
type derivation struct {
	req     *ReleaseRequest
	tenancy *policy.Tenancy
	derived policy.Derived
	// scheduling is set in the values; empty: taken out of them.
	scheduling jsontext.Value
	leave      bool // values are not touched
	stored     bool // all is as it was, since the class cannot be had any more
	untouched  bool // nothing is
	refusal    *denial
}

// CompleteRelease is the patch that sets on a release what is derived: its label, the
// annotations of ours and _scheduling among its values. It never refuses: where
// nothing can be derived it sets nothing, and the validating side says why.
func (r *Reviewer) CompleteRelease(ctx context.Context, req *ReleaseRequest) []PatchOp {
	if req.deleted() {
		return nil
	}
	d := r.decide(ctx, req)
	if d.refusal != nil {
		return nil
	}
	return d.patch()
}

// Release judges a release after CompleteRelease: what it asks for, and whether it
// bears what is derived. A release whose class inputs do not change is never refused
// for them. A verdict of Denied was reached on live reads.
func (r *Reviewer) Release(ctx context.Context, req *ReleaseRequest) Verdict {
	if req.deleted() || req.same() {
		return req.verdict(Allowed, Unchanged)
	}
	return r.decide(ctx, req).verdict()
}

// decide derives from memory, and refuses only what is read live.
func (r *Reviewer) decide(ctx context.Context, req *ReleaseRequest) *derivation {
	d := r.deriveFromMemory(ctx, req)
	if d.refusal != nil && d.refusal.kind == Denied {
		return r.deriveLive(ctx, req)
	}
	return d
}

func (r *Reviewer) deriveFromMemory(ctx context.Context, req *ReleaseRequest) *derivation {
	policies, err := r.policies.Current(ctx, req.Namespace)
	if err != nil {
		return &derivation{req: req, refusal: policyUnread(err)}
	}
	return r.derive(ctx, req, r.begin(req.Namespace), policies)
}

func (r *Reviewer) deriveLive(ctx context.Context, req *ReleaseRequest) *derivation {
	get := r.begin(req.Namespace).Live()
	parent := r.parentOf(ctx, req, get)
	var asked []string
	named := []string{req.wish().class, parent.class}
	if req.Old != nil {
		named = append(named, req.Old.derived().Class)
	}
	for _, name := range named {
		if policy.MalformedName(name) == "" {
			asked = append(asked, name)
		}
	}
	policies, err := r.policies.Live(ctx, req.Namespace, asked)
	if err != nil {
		return &derivation{req: req, refusal: policyUnread(err)}
	}
	return r.derive(ctx, req, get, policies)
}

// derive finds what becomes of the release. Where its class cannot be had and nothing
// was asked anew, the release stays as it is stored.
func (r *Reviewer) derive(ctx context.Context, req *ReleaseRequest, get lineage.Getter, policies *policy.Snapshot) *derivation {
	d := &derivation{req: req, tenancy: policies.Tenancy(req.Namespace), leave: !req.Object.injects()}
	parent := r.parentOf(ctx, req, get)
	d.derived = policy.Derive(req.choice(&parent, d.tenancy))
	if d.refusal = d.judge(&parent, policies); d.refusal != nil && d.unchanged() {
		d.asStored()
	}
	d.untouched = d.refusal == nil && !d.tenancy.Tenant && d.derived.Class == "" && !req.marked()
	return d
}

// judge says why the release cannot have its class, and finds what its values are
// given when it can.
func (d *derivation) judge(parent *parentage, policies *policy.Snapshot) *denial {
	wish := d.req.wish()
	switch {
	case parent.refusal != nil:
		return parent.refusal
	case wish.malformed() && !d.req.Object.remote():
		return malformedWish(&wish)
	case d.derived.Class == "":
		return nil
	case parent.class != "" && wish.class != "" && wish.class != parent.class && !d.unchanged():
		return parentDiffers(&wish, parent)
	}
	if refusal := permitted(d.derived.Class, d.field(&wish), d.tenancy); refusal != nil {
		return refusal
	}
	if _, object := d.req.Object.readValues(); !object && !d.leave {
		return valuesNoObject(d.req.Object)
	}
	class, err := policies.Class(d.derived.Class)
	if err != nil {
		return noClass(d.derived.Class, d.field(&wish), err)
	}
	if class.Terminating() && !d.bore(class.Name()) {
		return classGoing(class.Name(), d.field(&wish))
	}
	d.scheduling, _ = json.Marshal(class.Scheduling(), json.Deterministic(true))
	return nil
}

// unchanged says that nothing is asked anew: then nothing is refused, and a part
// follows its parent even where it names what the parent had before.
func (d *derivation) unchanged() bool { return d.req.Old != nil && d.req.sameInputs() }

// bore says whether the stored release has the class already.
func (d *derivation) bore(class string) bool {
	return d.req.Old != nil && d.req.Old.derived().Class == class
}

// field is where the class comes from, for people.
func (d *derivation) field(w *wish) string {
	switch d.derived.Source {
	case policy.Default:
		return "the default of its tenant"
	case policy.Parent:
		return "the class of its parent release"
	}
	return w.field
}

// asStored leaves a release with what it was given before.
func (d *derivation) asStored() {
	d.refusal, d.derived, d.stored = nil, d.req.Old.derived(), true
	stored, _ := d.req.Old.readValues()
	d.scheduling = stored.Scheduling
	_, object := d.req.Object.readValues()
	d.leave = d.leave || !object
}

// verdict holds the release to what is derived of it.
func (d *derivation) verdict() Verdict {
	switch {
	case d.refusal != nil:
		return d.req.refuse(d.refusal)
	case d.untouched:
		return d.req.verdict(NotGoverned, NoClass)
	case len(d.patch()) > 0:
		return d.req.refuse(&denial{kind: Unknown, reason: ClassUnderived, code: http.StatusServiceUnavailable,
			what: "it does not bear what is derived of its class", todo: askAgain})
	}
	v := d.req.verdict(Allowed, ClassDerived)
	if !d.stored { // else nobody has looked whether it exists
		v.Facts.Class = d.derived.Class
	}
	if d.derived.Class == "" && d.tenancy.Restricted && !d.req.Object.remote() {
		v.Warnings = []string{clip(d.req.title() + ": it names no AffinityClass, so its Pods have to keep to the tenant's by themselves; name one in " + valuesField)}
	}
	return v
}

// patch names only what changes.
func (d *derivation) patch() []PatchOp {
	if d.untouched {
		return nil
	}
	meta := &d.req.Object.Metadata
	labels := map[string]string{}
	if d.derived.Class != "" {
		labels[policy.ClassLabel] = d.derived.Class
	}
	ops := patch("labels", meta.Labels, labels, ClassLabels())
	ops = append(ops, patch("annotations", meta.Annotations, d.derived.Annotations(),
		LabelSet{policy.PreviousAnnotation, policy.SourceAnnotation})...)
	return append(ops, d.patchValues()...)
}

func (d *derivation) patchValues() []PatchOp {
	have, object := d.req.Object.readValues()
	if d.leave || !object || sameJSON(have.Scheduling, d.scheduling) && (empty(d.scheduling) == (len(have.Scheduling) == 0)) {
		return nil
	}
	const path = "/spec/values"
	switch {
	case empty(d.scheduling):
		return []PatchOp{{Op: "remove", Path: path + "/" + schedulingKey}}
	case empty(d.req.Object.Spec.Values):
		return []PatchOp{{Op: "add", Path: path, Value: map[string]jsontext.Value{schedulingKey: d.scheduling}}}
	default:
		return []PatchOp{{Op: "add", Path: path + "/" + schedulingKey, Value: d.scheduling}}
	}
}

// marked says whether the release bears or bore an annotation of ours.
func (req *ReleaseRequest) marked() bool {
	ours := []string{policy.ClassAnnotation, policy.InjectAnnotation, policy.SourceAnnotation, policy.PreviousAnnotation}
	for _, release := range []*HelmRelease{req.Object, req.Old} {
		if release == nil {
			continue
		}
		for key := range maps.Keys(release.Metadata.Annotations) {
			if slices.Contains(ours, key) {
				return true
			}
		}
	}
	return false
}
