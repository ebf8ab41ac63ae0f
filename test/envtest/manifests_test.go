package envtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects decodes every document of a YAML stream.
func objects(stream []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	var all []*unstructured.Unstructured
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode document %d: %w", len(all)+1, err)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
}

// installation is config/default as kubectl builds it.
func installation(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	folder, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	command := exec.CommandContext(t.Context(), filepath.Join(folder, "kubectl"), "kustomize", filepath.Join(root, "config", "default"))
	command.Stderr = &problems
	stream, err := command.Output()
	if err != nil {
		t.Fatalf("build config/default: %v\n%s", err, &problems)
	}
	all, err := objects(stream)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The API server compiles expressions and checks every field: a typing error in
// the chart is found here. cert-manager's kinds are not served here.
func TestTheAPIServerTakesTheWholeInstallation(t *testing.T) {
	c := admin(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "affinity-system"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, o := range installation(t) {
		if o.GroupVersionKind().Group == "cert-manager.io" {
			continue
		}
		kinds[o.GetKind()]++
		err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o),
			client.FieldOwner("test"), client.ForceOwnership, client.DryRunAll)
		if err != nil {
			t.Errorf("apply %s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
	want := map[string]int{
		"ClusterRole": 3, "ClusterRoleBinding": 2, "CustomResourceDefinition": 3, "Deployment": 1,
		"MutatingWebhookConfiguration": 1, "Namespace": 1, "PodDisruptionBudget": 1, "Role": 1, "RoleBinding": 1,
		"Service": 1, "ServiceAccount": 1, "ValidatingAdmissionPolicy": 2, "ValidatingAdmissionPolicyBinding": 2,
		"ValidatingWebhookConfiguration": 1,
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds of the installation (-want +got):\n%s", diff)
	}
}
