package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

const enforce = "affinity.cozystack.io/enforce"

// governed makes a namespace whose Pods are judged, and gives its name back.
func governed(t *testing.T, name string) string {
	t.Helper()
	return namespace(t, name, map[string]string{enforce: "deny"})
}

func namespace(t *testing.T, name string, labels map[string]string) string {
	t.Helper()
	if err := cp.CreateNamespace(t.Context(), name, labels); err != nil {
		t.Fatal(err)
	}
	return name
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := world.Client.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

// remove deletes what would disturb the tests that follow; it serves clean-ups too.
func remove(t *testing.T, objects ...client.Object) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, object := range objects {
		err := world.Client.Delete(ctx, object, client.PropagationPolicy("Background"))
		if client.IgnoreNotFound(err) != nil {
			t.Errorf("delete %T %s: %v", object, object.GetName(), err)
		}
	}
}

const patience = 90 * time.Second

// eventually asks until there is no error left; it is generous, since a busy
// machine is no fault.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

// podsOf are the Pods of a workload of the builder.
func podsOf(t *testing.T, in, app string) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := world.Client.List(t.Context(), &pods, client.InNamespace(in), client.MatchingLabels{"app": app}); err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

// awaitPods waits until so many Pods of a workload were let in.
func awaitPods(t *testing.T, in, app string, want int) {
	t.Helper()
	eventually(t, func() error {
		if got := len(podsOf(t, in, app)); got != want {
			return fmt.Errorf("%d Pods of %s/%s, wanted %d", got, in, app, want)
		}
		return nil
	})
}

// kubectl runs the real one as an administrator.
func kubectl(t *testing.T, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	path, err := controlplane.Binary("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	command := exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig", cp.Kubeconfig()}, args...)...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewBufferString(stdin), &out, &problems
	command.Env = []string{"HOME=" + t.TempDir()}
	err = command.Run()
	return out.String(), problems.String(), err
}

// replicaSetOf waits for the ReplicaSet that a Deployment makes.
func replicaSetOf(t *testing.T, w workload) *appsv1.ReplicaSet {
	t.Helper()
	var sets appsv1.ReplicaSetList
	eventually(t, func() error {
		err := world.Client.List(t.Context(), &sets, client.InNamespace(w.release.namespace), client.MatchingLabels(w.labels()))
		if err == nil && len(sets.Items) != 1 {
			err = fmt.Errorf("%d ReplicaSets of Deployment %s", len(sets.Items), w.name)
		}
		return err
	})
	return &sets.Items[0]
}
