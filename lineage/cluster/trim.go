package cluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cozystack/affinityclass/lineage"
)

// ReleaseObject describes a HelmRelease, whole or trimmed.
func ReleaseObject(release *unstructured.Unstructured) *lineage.Object {
	object := lineage.FromMeta(lineage.HelmRelease, release)
	object.Release = lineage.ReadRelease(release.Object)
	delete(object.Annotations, corev1.LastAppliedConfigAnnotation)
	return object
}

// TrimRelease is the transform of a cache that holds HelmReleases. It keeps what
// ReleaseObject reads: the metadata without field managers and last applied
// configuration, spec.targetNamespace, that there is a spec.kubeConfig,
// status.observedGeneration and the Ready condition. Values, which may be large
// or secret, are dropped, but for what a platform's Tenant says of classes. What is not a HelmRelease object passes unchanged.
func TrimRelease(object any) (any, error) {
	release, ok := object.(*unstructured.Unstructured)
	if !ok || release.GroupVersionKind().GroupKind() != lineage.HelmRelease {
		return object, nil
	}
	unstructured.RemoveNestedField(release.Object, "metadata", "managedFields")
	unstructured.RemoveNestedField(release.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	trimmed := map[string]any{
		"apiVersion": release.Object["apiVersion"], "kind": release.Object["kind"], "metadata": release.Object["metadata"],
	}
	if spec, ok := release.Object["spec"].(map[string]any); ok {
		trimmed["spec"] = trimSpec(spec)
		if values := trimValues(release, spec); values != nil {
			trimmed["spec"].(map[string]any)["values"] = values
		}
	}
	if status, ok := release.Object["status"].(map[string]any); ok {
		trimmed["status"] = trimStatus(status)
	}
	release.Object = trimmed
	return release, nil
}

func trimSpec(spec map[string]any) map[string]any {
	kept := map[string]any{}
	if target, ok := spec["targetNamespace"]; ok {
		kept["targetNamespace"] = target
	}
	if spec["kubeConfig"] != nil {
		kept["kubeConfig"] = map[string]any{}
	}
	return kept
}

// trimValues keeps of the values of a Tenant's release what restricts its namespace. Values
// that are no object stay what they are, for whoever reads them to see.
func trimValues(release *unstructured.Unstructured, spec map[string]any) any {
	if release.GetLabels()[lineage.LabelApplicationKind] != "Tenant" || spec["values"] == nil {
		return nil
	}
	values, ok := spec["values"].(map[string]any)
	if !ok {
		return ""
	}
	kept := map[string]any{}
	for _, key := range []string{"allowedAffinityClasses", "defaultAffinityClass"} {
		if value, ok := values[key]; ok {
			kept[key] = bounded(value)
		}
	}
	return kept
}

// bounded keeps a list as long as one may be; a longer one, which nobody may have, and
// a long text become a text that names nothing.
func bounded(value any) any {
	const longestList, longestText = 256, 253
	if list, ok := value.([]any); ok && len(list) > longestList {
		return ""
	}
	if text, ok := value.(string); ok && len(text) > longestText {
		return ""
	}
	return value
}

func trimStatus(status map[string]any) map[string]any {
	kept := map[string]any{}
	if observed, ok := status["observedGeneration"]; ok {
		kept["observedGeneration"] = observed
	}
	conditions, _ := status["conditions"].([]any)
	for _, each := range conditions {
		condition, _ := each.(map[string]any)
		if condition["type"] == "Ready" {
			kept["conditions"] = []any{map[string]any{"type": "Ready", "status": condition["status"]}}
		}
	}
	return kept
}
