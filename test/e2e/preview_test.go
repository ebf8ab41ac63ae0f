package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// A preview of the running cluster, and what its scheduler then does.
func TestAffinityctlPreviewsWhatTheSchedulerDoes(t *testing.T) {
	space := namespace(t, "ctl-preview", nil)
	kubeconfig := cp.Kubeconfig()
	must(t, cp.AddNodes(t.Context(), []controlplane.NodeSpec{{Name: "pv-a", Labels: map[string]string{"pv": "yes"}}, {Name: "pv-b", Labels: map[string]string{"pv": "yes"}}}))
	for _, tt := range []struct {
		name     string
		selector map[string]string
		cpu      string
		code     int
		verdict  string
	}{
		{"fits", map[string]string{"pv": "yes"}, "100m", 0, "Fits"},
		{"nowhere", map[string]string{"pv": "no"}, "100m", 1, "Unsatisfiable"},
	} {
		pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: tt.name},
			Spec: corev1.PodSpec{NodeSelector: tt.selector, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		text, err := yaml.Marshal(pod)
		must(t, err)
		file := filepath.Join(t.TempDir(), "pod.yaml")
		must(t, os.WriteFile(file, text, 0o600))
		out, problems, code := affinityctl(t, kubeconfig, "preview", "-f", file, "-o", "json")
		var report struct {
			Items []struct {
				Verdict    string
				Candidates []struct{ Node string }
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != tt.code || len(report.Items) != 1 || report.Items[0].Verdict != tt.verdict {
			t.Fatalf("%s: exit %d, %v\n%s%s", tt.name, code, err, out, problems)
		}
		must(t, world.Client.Create(t.Context(), pod))
		if tt.code != 0 {
			continue
		}
		eventually(t, func() error {
			if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				return err
			}
			for _, candidate := range report.Items[0].Candidates {
				if candidate.Node == pod.Spec.NodeName {
					return nil
				}
			}
			return fmt.Errorf("it is on node %q, and the candidates were %v", pod.Spec.NodeName, report.Items[0].Candidates)
		})
	}
	out, problems, code := affinityctl(t, kubeconfig, "nodes")
	if code != 0 || !strings.Contains(out, "pv-a") || !strings.Contains(out, "CLASSES") {
		t.Errorf("nodes: exit %d\n%s%s", code, out, problems)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
