// Package fault_test breaks what the affinity webhook stands on, under load, and
// counts what it answers meanwhile.
//
// What holds under every fault: no Pod is let in that breaks its class; none that
// keeps it is refused otherwise than with 503, or by the API server itself while
// nobody answers it; and the server goes on by itself once the fault is over.
//
// A panic in a review is not here: there is nothing in the server by which to
// cause one. The unit tests of package webhook do.
package fault_test

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
	// service is what the API server calls; at first it leads to the world's server.
	service *balancer
)

func TestMain(m *testing.M) {
	options := controlplane.Options{
		// Controllers make Pods; where these would run is of no interest here.
		Components: []string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager},
	}
	os.Exit(controlplane.Main(runner(m.Run), options, func(started *controlplane.ControlPlane) { cp = started }))
}

// runner installs the platform before the tests run.
type runner func() int

func (run runner) Run() int {
	if err := furnish(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer service.close()
	return run()
}

func furnish(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard()) // it complains, at length, of having none
	var err error
	if service, err = newBalancer(); err != nil {
		return err
	}
	if world, err = install(ctx, cp, service); err != nil {
		return err
	}
	for _, name := range []string{"dc1", "dc2"} {
		if err := world.Client.Create(ctx, class(name)); err != nil {
			return fmt.Errorf("create AffinityClass %s: %w", name, err)
		}
	}
	return nil
}

// install puts the platform on a control plane, behind a balancer.
func install(ctx context.Context, on *controlplane.ControlPlane, behind *balancer) (*platform.Platform, error) {
	prepared, err := platform.Prepare(ctx, on)
	if err != nil {
		return nil, err
	}
	if err := prepared.Serve(ctx, platform.Options{}); err != nil {
		return nil, err
	}
	behind.serve(platform.Server, prepared.URL)
	return prepared, prepared.Webhooks(ctx, behind.url)
}

// class is one whose nodes are those of the datacenter of its name.
func class(name string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name, c.Spec.NodeSelector = name, map[string]string{zone: name}
	return c
}
