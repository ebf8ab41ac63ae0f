package lineage

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FromMeta describes an object by its metadata. The result shares the maps and
// the owners with it.
func FromMeta(kind schema.GroupKind, meta metav1.Object) *Object {
	return &Object{
		GroupKind:   kind,
		Namespace:   meta.GetNamespace(),
		Name:        meta.GetName(),
		UID:         meta.GetUID(),
		Labels:      meta.GetLabels(),
		Annotations: meta.GetAnnotations(),
		Owners:      meta.GetOwnerReferences(),
	}
}

// ReadRelease takes what a walk needs from a decoded HelmRelease. It is lenient:
// a field of the wrong type counts as absent, except spec.kubeConfig, where any
// value but null means a release that deploys to another cluster.
func ReadRelease(content map[string]any) *Release {
	meta, spec, status := child(content, "metadata"), child(content, "spec"), child(content, "status")
	release := &Release{
		Remote:             spec["kubeConfig"] != nil,
		Terminating:        meta["deletionTimestamp"] != nil,
		Generation:         integer(meta["generation"]),
		ObservedGeneration: integer(status["observedGeneration"]),
		Ready:              ready(status["conditions"]),
	}
	release.TargetNamespace, _ = spec["targetNamespace"].(string)
	return release
}

func child(content map[string]any, key string) map[string]any {
	found, _ := content[key].(map[string]any)
	return found
}

// integer reads a number as whichever type the decoder chose.
func integer(value any) int64 {
	switch number := value.(type) {
	case int64:
		return number
	case float64:
		return int64(number)
	}
	return 0
}

func ready(conditions any) bool {
	list, _ := conditions.([]any)
	for _, each := range list {
		condition, _ := each.(map[string]any)
		if condition["type"] == "Ready" {
			return condition["status"] == string(metav1.ConditionTrue)
		}
	}
	return false
}
