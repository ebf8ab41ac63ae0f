package review

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

func (req *ReleaseRequest) wish() wish {
	values, _ := req.Object.readValues()
	return req.Object.readWish(&values)
}

// choice is what the class is derived from.
func (req *ReleaseRequest) choice(parent *parentage, tenancy *policy.Tenancy) policy.Choice {
	c := policy.Choice{Named: req.wish().class, Remote: req.Object.remote(), Child: parent.child, Parent: parent.class, Default: tenancy.Default}
	if req.Old != nil {
		before := req.Old.derived()
		c.Before, c.Settled = &before, req.Old.object(req.Namespace).Release.Settled()
	}
	return c
}

func (req *ReleaseRequest) deleted() bool { return req.Object.Metadata.DeletionTimestamp != nil }

// sameInputs says whether an update leaves what the class is derived from: what is
// named, and what it is a part of.
func (req *ReleaseRequest) sameInputs() bool {
	before, after := req.Old, req.Object
	old, _ := before.readValues()
	updated, _ := after.readValues()
	return sameJSON(old.AffinityClass, updated.AffinityClass) &&
		before.Metadata.Annotations[policy.ClassAnnotation] == after.Metadata.Annotations[policy.ClassAnnotation] &&
		before.remote() == after.remote() && sameParents(&before.Metadata.Metadata, &after.Metadata.Metadata)
}

func sameParents(before, after *Metadata) bool {
	labels := append(ApplicationLabels(), lineage.LabelFluxName, lineage.LabelFluxNamespace)
	return !slices.ContainsFunc(labels, func(key string) bool { return before.Labels[key] != after.Labels[key] }) &&
		slices.EqualFunc(before.OwnerReferences, after.OwnerReferences, func(a, b metav1.OwnerReference) bool {
			return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion && controls(a) == controls(b)
		})
}

func controls(owner metav1.OwnerReference) bool { return owner.Controller != nil && *owner.Controller }

// same says whether an update leaves what is derived, too: then there is nothing to
// judge, and controllers' own updates cost nothing.
func (req *ReleaseRequest) same() bool {
	if req.Old == nil || !req.sameInputs() {
		return false
	}
	before, after := req.Old, req.Object
	old, _ := before.readValues()
	updated, _ := after.readValues()
	return before.Metadata.Labels[policy.ClassLabel] == after.Metadata.Labels[policy.ClassLabel] &&
		maps.Equal(ours(before.Metadata.Annotations), ours(after.Metadata.Annotations)) &&
		sameJSON(old.Scheduling, updated.Scheduling)
}

// ours are the annotations that decide or record a class.
func ours(annotations map[string]string) map[string]string {
	found := map[string]string{}
	for _, key := range []string{policy.SourceAnnotation, policy.PreviousAnnotation, policy.ResolveAnnotation, policy.InjectAnnotation} {
		if value, ok := annotations[key]; ok {
			found[key] = value
		}
	}
	return found
}

func (req *ReleaseRequest) title() string {
	return lineage.HelmRelease.Kind + " " + req.Namespace + "/" + req.Object.Metadata.Name
}

func (req *ReleaseRequest) verdict(kind Kind, reason Reason) Verdict {
	return Verdict{Kind: kind, Reason: reason, Facts: Facts{
		Subject: Subject{lineage.HelmRelease.Kind, req.Namespace, req.Object.Metadata.Name}, DryRun: req.DryRun,
	}}
}

func (req *ReleaseRequest) refuse(d *denial) Verdict {
	return d.refuse(req.verdict(d.kind, d.reason), req.title())
}
