package charts_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/charts"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const zone = "topology.kubernetes.io/zone"

var (
	cp    *controlplane.ControlPlane
	world *platform.Platform
)

func TestMain(m *testing.M) {
	os.Exit(controlplane.Main(runner(m.Run), controlplane.Options{}, func(started *controlplane.ControlPlane) { cp = started }))
}

// runner furnishes the control plane before the tests run.
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
	var specs []controlplane.NodeSpec
	for _, dc := range []string{"dc1", "dc2"} {
		class := &v1alpha1.AffinityClass{}
		class.Name, class.Spec.NodeSelector = dc, map[string]string{zone: dc}
		if err := world.Client.Create(ctx, class); err != nil {
			return fmt.Errorf("create AffinityClass %s: %w", dc, err)
		}
		specs = append(specs, controlplane.NodeSpec{Name: dc, Labels: map[string]string{zone: dc}})
	}
	if err := cp.AddNodes(ctx, specs); err != nil {
		return err
	}
	return charts.Run(ctx, cp, charts.Examples)
}
