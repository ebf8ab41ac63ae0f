package review

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// HelmRelease is the part of a HelmRelease that is judged, with its JSON.
type HelmRelease struct {
	Metadata struct {
		Metadata
		Generation        int64      `json:"generation"`
		DeletionTimestamp *time.Time `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Values          jsontext.Value `json:"values"`     // any JSON: the kind does not say
		KubeConfig      jsontext.Value `json:"kubeConfig"` // set: it deploys to another cluster
		TargetNamespace string         `json:"targetNamespace"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64 `json:"observedGeneration"`
		Conditions         []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`

	read *readValues // of the values, once asked for: they may be large
}

// readValues are the values as far as they are read; object says that they are one, or
// absent.
type readValues struct {
	values values
	object bool
}

// object is the release as a walk sees it.
func (h *HelmRelease) object(namespace string) *lineage.Object {
	meta := &h.Metadata
	release := &lineage.Release{
		TargetNamespace: h.Spec.TargetNamespace, Remote: h.remote(), Terminating: meta.DeletionTimestamp != nil,
		Generation: meta.Generation, ObservedGeneration: h.Status.ObservedGeneration,
	}
	for _, condition := range h.Status.Conditions {
		if condition.Type == "Ready" {
			release.Ready = condition.Status == "True"
		}
	}
	return &lineage.Object{
		GroupKind: lineage.HelmRelease, Namespace: namespace, Name: meta.Name, UID: meta.UID,
		Labels: meta.Labels, Annotations: meta.Annotations, Owners: meta.OwnerReferences, Release: release,
	}
}

func (h *HelmRelease) remote() bool { return !empty(h.Spec.KubeConfig) }

// injects says whether values are the platform's to set.
func (h *HelmRelease) injects() bool {
	return !h.remote() && h.Metadata.Annotations[policy.InjectAnnotation] != "false"
}

func (h *HelmRelease) derived() policy.Derived {
	return policy.ReadDerived(h.Metadata.Labels, h.Metadata.Annotations)
}

// values are the two of a release's values that are read here.
type values struct {
	AffinityClass jsontext.Value `json:"affinityClass"`
	Scheduling    jsontext.Value `json:"_scheduling"`
}

const schedulingKey = "_scheduling"

// empty says whether a value is absent, or null.
func empty(value jsontext.Value) bool { return len(value) == 0 || value.Kind() == 'n' }

// sameJSON says whether two values are the same, however they are written.
func sameJSON(a, b jsontext.Value) bool {
	if empty(a) || empty(b) {
		return empty(a) == empty(b)
	}
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}
