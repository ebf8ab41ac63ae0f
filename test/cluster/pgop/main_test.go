package main

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// cluster is a control plane on which pgop runs, with two nodes: a and b.
type cluster struct {
	t *testing.T
	client.Client
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	cp := controlplane.ForTest(t, controlplane.Options{})
	if err := cp.AddNodes(t.Context(), []controlplane.NodeSpec{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	kubectl(t, cp, "apply", "--server-side", "-f", "../crd")
	kubectl(t, cp, "wait", "--for=condition=Established", "crd", "--all")
	program, err := controlplane.Binary("pgop")
	if err != nil {
		t.Fatal(err)
	}
	port, err := controlplane.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	if err := cp.Run(t.Context(), controlplane.Process{
		Name:  "pgop",
		Path:  program,
		Args:  []string{"--health-address", address},
		Env:   []string{"KUBECONFIG=" + cp.Kubeconfig()},
		Ready: controlplane.HTTPReady("http://"+address+"/readyz", nil),
	}); err != nil {
		t.Fatal(err)
	}
	c, err := cp.Client()
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t: t, Client: c}
}

func kubectl(t *testing.T, cp *controlplane.ControlPlane, args ...string) {
	t.Helper()
	program, err := controlplane.Binary("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, append(args, "--kubeconfig", cp.Kubeconfig())...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("kubectl %v: %v\n%s", args, err, output)
	}
}

// createCluster makes a Cluster whose instances are to run on one node.
func (c *cluster) createCluster(name, node string, instances int64) *unstructured.Unstructured {
	c.t.Helper()
	db := newCluster()
	db.SetNamespace("default")
	db.SetName(name)
	db.Object["spec"] = map[string]any{"instances": instances, "affinity": onNode(node)}
	c.create(db)
	return db
}

func onNode(name string) map[string]any {
	return map[string]any{"nodeSelector": map[string]any{"kubernetes.io/hostname": name}}
}

func (c *cluster) create(object client.Object) {
	c.t.Helper()
	if err := c.Create(c.t.Context(), object); err != nil {
		c.t.Fatalf("create %T %s: %v", object, object.GetName(), err)
	}
}

// change edits an object as a user would.
func (c *cluster) change(object client.Object, edit func()) {
	c.t.Helper()
	if err := c.Get(c.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		c.t.Fatal(err)
	}
	before, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		c.t.Fatalf("%T is no object", object)
	}
	edit()
	if err := c.Patch(c.t.Context(), object, client.MergeFrom(before)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) until(what string, holds func(context.Context) bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 90*time.Second)
	defer cancel()
	for !holds(ctx) {
		select {
		case <-ctx.Done():
			c.t.Fatalf("%s: not within 90 s", what)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (c *cluster) untilPhase(db *unstructured.Unstructured, phase string) {
	c.t.Helper()
	c.until("phase "+phase, func(ctx context.Context) bool {
		err := c.Get(ctx, client.ObjectKeyFromObject(db), db)
		got, _, _ := unstructured.NestedString(db.Object, "status", "phase")
		return err == nil && got == phase
	})
}
