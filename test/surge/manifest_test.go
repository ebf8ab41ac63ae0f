package surge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// program runs one with the cluster's kubeconfig.
func program(t *testing.T, name string, input []byte, args ...string) []byte {
	t.Helper()
	path, err := controlplane.Binary(name)
	if err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	command := exec.CommandContext(t.Context(), path, append(args, "--kubeconfig", cp.Kubeconfig())...)
	command.Stdin, command.Stdout, command.Stderr, command.Env = bytes.NewReader(input), &out, &problems, []string{"HOME=" + t.TempDir()}
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, problems.String())
	}
	return out.Bytes()
}

// The placeholder that affinityctl prints is one that the API server takes, and the
// scheduler puts it where affinityctl said.
func TestTheManifestIsTakenAndLandsWhereItWasSaid(t *testing.T) {
	gpu := corev1.ResourceName("example.com/gpu")
	tainted := func(name string) controlplane.NodeSpec {
		spec := inPool(name, "manifest")
		spec.Taints = []corev1.Taint{{Key: "pool", Value: "manifest", Effect: corev1.TaintEffectNoSchedule}}
		spec.Capacity[gpu] = resource.MustParse("2")
		return spec
	}
	addNodes(t, tainted("candidate"))
	low := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: -10}
	create(t, low)
	t.Cleanup(func() {
		if err := api.Delete(lasting(t), low); err != nil {
			t.Error(err)
		}
	})
	worker := service("worker", "manifest", "1", 1)
	worker.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "pool", Operator: corev1.TolerationOpExists}}
	one := corev1.ResourceList{gpu: resource.MustParse("1")}
	worker.Spec.Template.Spec.Containers[0].Resources.Requests[gpu] = one[gpu]
	worker.Spec.Template.Spec.Containers[0].Resources.Limits = one
	create(t, worker)
	t.Cleanup(func() { remove(t, "worker") })
	bound(t, "worker", "candidate", 1)
	addNodes(t, tainted("other"))
	cordon(t, "candidate")

	for _, size := range []string{"--whole-node=false", "--whole-node"} {
		asked := []string{"drain", "candidate", size, "--require-same", "pool", "--priority-class", "low", "-n", space, "--image", "example.com/pause:1"}
		manifest := program(t, "affinityctl", nil, append(asked, "-o", "manifest")...)
		program(t, "kubectl", manifest, "apply", "--dry-run=server", "-f", "-")
		var said struct{ Absorb []struct{ Node string } }
		if err := json.Unmarshal(program(t, "affinityctl", nil, append(asked, "-o", "json")...), &said); err != nil {
			t.Fatal(err)
		}
		if len(said.Absorb) != 1 || said.Absorb[0].Node != "other" {
			t.Fatalf("%s lands on %v", size, said.Absorb)
		}
		program(t, "kubectl", manifest, "apply", "-f", "-")
		var placeholder corev1.Pod
		eventually(t, func() error {
			if err := api.Get(t.Context(), client.ObjectKey{Namespace: space, Name: "surge-candidate"}, &placeholder); err != nil {
				return err
			}
			if placeholder.Spec.NodeName != "other" {
				return fmt.Errorf("the placeholder is on %q: %v", placeholder.Spec.NodeName, placeholder.Status.Conditions)
			}
			return nil
		})
		release(t, &placeholder)
	}
}
