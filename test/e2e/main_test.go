// Package e2e_test watches the affinity webhook on a whole control plane: real
// controllers create the Pods, the real scheduler binds them, KWOK runs them.
//
// What a bar of the project counts is counted where it happens: calls to the API
// server in its audit log or at the transport, Pods and Events as objects. Time
// is only ever compared with time measured in the same run.
package e2e_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const zone = "topology.kubernetes.io/zone"

var (
	cp    *controlplane.ControlPlane
	world *platform.Platform
)

func TestMain(m *testing.M) {
	os.Exit(controlplane.Main(runner(m.Run), controlplane.Options{Audit: true}, func(started *controlplane.ControlPlane) { cp = started }))
}

// runner installs the platform before the tests run.
type runner func() int

func (run runner) Run() int {
	if err := furnish(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

func furnish(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard()) // it complains, at length, of having none
	var err error
	if world, err = platform.Install(ctx, cp, platform.Options{}); err != nil {
		return err
	}
	for _, dc := range []string{"dc1", "dc2"} {
		if err := world.Client.Create(ctx, class(dc)); err != nil {
			return fmt.Errorf("create AffinityClass %s: %w", dc, err)
		}
	}
	return cp.AddNodes(ctx, nodes())
}

// class is one whose nodes are those of the datacenter of its name.
func class(name string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name, c.Spec.NodeSelector = name, map[string]string{zone: name}
	return c
}

// nodes are three in each of two datacenters.
func nodes() []controlplane.NodeSpec {
	var specs []controlplane.NodeSpec
	for _, dc := range []string{"dc1", "dc2"} {
		for i := range 3 {
			specs = append(specs, controlplane.NodeSpec{
				Name: fmt.Sprintf("%s-%c", dc, 'a'+i), Labels: map[string]string{zone: dc},
			})
		}
	}
	return specs
}
