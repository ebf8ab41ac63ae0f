// Package fence_test attacks a restricted tenant: as a user with every right in the
// tenant's namespace it tries to get a Pod onto a node outside the tenant's classes, or
// to learn of another tenant.
//
// Each attack is made twice. In the restricted tenant no Pod that could run outside may
// be left; in a tenant that differs in nothing but its list, which is absent, the same
// attack must leave one: so each fails when the fence is taken out.
package fence_test

import (
	"context"
	"flag"
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
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // attacks mostly wait
		panic(err)
	}
	options := controlplane.Options{
		// Controllers make Pods; where these would run is told by their constraints.
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
	return run()
}

func furnish(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard()) // it complains, at length, of having none
	var err error
	if world, err = platform.Install(ctx, cp, platform.Options{}); err != nil {
		return err
	}
	for _, name := range []string{"dc1", "dc2", "dc3", "lenient"} {
		class := &v1alpha1.AffinityClass{}
		class.Name, class.Spec.NodeSelector = name, map[string]string{zone: name}
		if name == "lenient" {
			class.Spec.NodeSelector[zone], class.Spec.EnforcementAction = "dc3", v1alpha1.Warn
		}
		if err := world.Client.Create(ctx, class); err != nil {
			return fmt.Errorf("create AffinityClass %s: %w", name, err)
		}
	}
	if err := cp.CreateNamespace(ctx, "tenant-root", nil); err != nil {
		return err
	}
	exemption := &v1alpha1.AffinityExemption{}
	exemption.Name = "importer"
	exemption.Spec.Usernames, exemption.Spec.Reason = []string{"system:serviceaccount:platform:importer"}, "imports disks"
	exemption.Spec.PodSelector = &v1alpha1.PodSelector{MatchLabels: map[string]string{"app": "importer"}}
	return world.Client.Create(ctx, exemption)
}
