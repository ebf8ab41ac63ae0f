package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/test/controlplane"
)

const weightedDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {affinity.cozystack.io/binary: '{"cache": 100, "noisy": -1}'}
    spec: {containers: [{name: web, image: web}]}
`

// A viewer of the namespace finds what is stored with weights, converts the
// manifest, applies it, and is left with what the workload keeps of before.
func TestWeightsAreFoundConvertedAndGone(t *testing.T) {
	space := namespace(t, "ctl-find", nil)
	applied := func(manifest string) {
		t.Helper()
		if _, problems, err := kubectl(t, manifest, "apply", "-n", space, "-f", "-"); err != nil {
			t.Fatalf("kubectl apply: %v\n%s", err, problems)
		}
	}
	applied(weightedDeployment)
	applied(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"find"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[{"kind":"User","name":"finder","apiGroup":"rbac.authorization.k8s.io"}]}`)
	viewer, err := world.Kubeconfig("finder", "finder", "system:authenticated")
	must(t, err)
	finds(t, viewer, space, 1, "Deployment", "Pod", "ReplicaSet")
	file := filepath.Join(t.TempDir(), "web.yaml")
	must(t, os.WriteFile(file, []byte(weightedDeployment), 0o600))
	if out, said, code := affinityctl(t, viewer, "binary", "find", "-A"); code != 4 || out != "" || !strings.Contains(said, `User "finder" cannot list resource "pods"`) {
		t.Errorf("who may view one namespace looks into all of them: exit code %d\n%s%s", code, out, said)
	}
	converted, said := convert(t, file)
	if !strings.Contains(said, "spec.template.metadata.annotations[affinity.cozystack.io/binary]: ") {
		t.Errorf("what changed is not said: %s", said)
	}
	applied(converted)
	finds(t, viewer, space, 1, "ReplicaSet")
	if _, problems, err := kubectl(t, "", "delete", "replicasets", "-n", space, "-l", "app=web"); err != nil {
		t.Fatalf("kubectl delete: %v\n%s", err, problems)
	}
	finds(t, viewer, space, 0)
}

// finds waits until what is found is of these kinds, sorted.
func finds(t *testing.T, kubeconfig, space string, code int, kinds ...string) {
	t.Helper()
	eventually(t, func() error {
		out, problems, got := affinityctl(t, kubeconfig, "binary", "find", "-n", space, "-o", "json")
		var report struct {
			Results []struct{ Object struct{ Kind string } }
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			return fmt.Errorf("%w: %s%s", err, out, problems)
		}
		var found []string
		for _, result := range report.Results {
			found = append(found, result.Object.Kind)
		}
		if diff := cmp.Diff(kinds, found); diff != "" || got != code {
			return fmt.Errorf("exit code %d, wanted %d; kinds (-want +got):\n%s", got, code, diff)
		}
		return nil
	})
}

// convert needs no cluster, and takes no kubeconfig.
func convert(t *testing.T, file string) (stdout, stderr string) {
	t.Helper()
	path, err := controlplane.Binary("affinityctl")
	must(t, err)
	var out, said bytes.Buffer
	command := exec.CommandContext(t.Context(), path, "binary", "convert", "-f", file)
	command.Stdout, command.Stderr = &out, &said
	if err := command.Run(); err != nil {
		t.Fatalf("affinityctl binary convert: %v\n%s", err, said.String())
	}
	return out.String(), said.String()
}
