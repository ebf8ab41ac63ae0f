package review

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
)

// Weighted tells of a binary value with weights that was accepted, which it will be
// for one more release.
type Weighted struct {
	Message string // with what to write instead
	// Self is the Pod or the workload that bears it, whom to tell where there is
	// neither a release nor an owner.
	Self Owner
	// Once is what is told of once, however often it is submitted: the controller that
	// makes many Pods alike, or the generation of a workload, which is tried again
	// where it comes into conflict. Empty for what is always told of.
	Once string
}

// announce adds to a verdict what is to be said of an accepted value. What comes of
// a workload that was looked at itself is no news: its author was told.
func (f *finding) announce(v Verdict) Verdict {
	accepted := v.Admits() || f.request.Template != nil && v.Reason != BinaryMalformed
	if !accepted {
		return v
	}
	v.Warnings = slices.Concat(f.notes(), v.Warnings)
	if f.tellsOfWeights() {
		v.Facts.Top = top(f.chain())
		v.Facts.Weighted = &Weighted{
			Message: fmt.Sprintf("%s: %s; write %s", f.title(), f.weights(), f.binary.Value),
			Self:    f.self(), Once: f.request.once(),
		}
	}
	return v
}

// notes are the warnings that come before those of a verdict.
func (f *finding) notes() []string {
	if f.request.ready != nil {
		return f.request.ready.notes
	}
	if !f.tellsOfWeights() {
		return nil
	}
	note := fmt.Sprintf("%s; write %s", f.weights(), f.binary.Value)
	if len(note) > maxWarningLength {
		note = f.weights() + "; affinityctl binary convert prints what to write"
	}
	return []string{note}
}

func (f *finding) weights() string {
	return f.inTemplate(binaryField().String()) + " has weights, which are accepted for one more release and whose magnitude is dropped"
}

func (f *finding) tellsOfWeights() bool {
	if !f.binary.Weighted || f.request.asksAnew {
		return f.binary.Weighted
	}
	for i, hop := range f.chain() {
		if i > 0 && hop.Object != nil && lookedAt(hop.Object.GroupKind) {
			return false
		}
	}
	return true
}

// lookedAt says whether templates of a kind are looked at when they are stored.
func lookedAt(kind schema.GroupKind) bool {
	switch kind.Group {
	case "apps":
		return kind.Kind == "Deployment" || kind.Kind == "StatefulSet" || kind.Kind == "DaemonSet"
	case "batch":
		return kind.Kind == "Job" || kind.Kind == "CronJob"
	}
	return false
}

// self is the object that was sent, under its own name.
func (f *finding) self() Owner {
	if template := f.request.Template; template != nil {
		return Owner{APIVersion: template.Owner.Group + "/v1", Object: template.Owner}
	}
	meta := &f.request.Pod.Metadata
	return Owner{APIVersion: "v1", Object: &lineage.Object{
		GroupKind: podKind, Namespace: f.request.Namespace, Name: meta.Name, UID: meta.UID,
	}}
}

// once is empty for a Pod that a person made or changed.
func (r *Request) once() string {
	if template := r.Template; template != nil && template.Owner.UID != "" {
		return fmt.Sprintf("%s at generation %d", template.Owner.UID, template.Generation)
	}
	if r.Template != nil || r.asksAnew {
		return ""
	}
	for _, owner := range r.Pod.Metadata.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			return string(owner.UID)
		}
	}
	return ""
}
