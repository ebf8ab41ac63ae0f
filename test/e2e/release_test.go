package e2e_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// release is a HelmRelease of an application: Bucket NAME of apps.cozystack.io.
type release struct {
	namespace, name string
	class           string // none when empty
}

// object is the release as a tenant writes it. Nobody renders its chart: the
// tests create what it would deploy, with the labels that Flux sets.
func (r release) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"namespace": r.namespace, "name": r.name},
		"spec": map[string]any{
			"interval": "5m", "chartRef": map[string]any{"kind": "HelmChart", "name": "bucket"},
		},
	}}
	labels := r.application()
	if r.class != "" {
		labels[policy.ClassLabel] = r.class
	}
	object.SetLabels(labels)
	return object
}

// application are the labels by which a release stands for an application.
func (r release) application() map[string]string {
	return map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io",
		lineage.LabelApplicationKind:  "Bucket",
		lineage.LabelApplicationName:  r.name,
	}
}

// flux are the labels that Flux sets on what the release deploys.
func (r release) flux() map[string]string {
	return map[string]string{lineage.LabelFluxName: r.name, lineage.LabelFluxNamespace: r.namespace}
}

// derived are the labels that admission sets on the release's Pods.
func (r release) derived() map[string]string {
	labels := r.application()
	labels[policy.ClassLabel] = r.class
	return labels
}

// deploy creates a release and begins a workload of the same name under it.
func deploy(t *testing.T, r release) workload {
	t.Helper()
	create(t, r.object())
	return workload{release: r, name: r.name}
}
