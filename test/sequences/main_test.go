// Package sequences_test changes classes, Tenants and releases at random, against the
// real API server and the real webhook, and holds what becomes of them to a model of
// the rules that shares nothing with the webhook.
package sequences_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const zone = "topology.kubernetes.io/zone"

var (
	cp    *controlplane.ControlPlane
	world *platform.Platform
)

func TestMain(m *testing.M) {
	options := controlplane.Options{Components: []string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}}
	os.Exit(controlplane.Main(runner(m.Run), options, func(started *controlplane.ControlPlane) { cp = started }))
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
	if err := cp.CreateNamespace(ctx, "tenant-root", nil); err != nil {
		return err
	}
	for _, name := range spaces {
		labels := map[string]string{"affinity.cozystack.io/enforce": "deny"}
		if name != plain {
			labels["affinity.cozystack.io/tenant"] = "true"
		}
		if err := cp.CreateNamespace(ctx, name, labels); err != nil {
			return err
		}
	}
	return nil
}
