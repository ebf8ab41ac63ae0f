// Package surge_test carries out drains that package surge has audited, on a
// running control plane: the real scheduler places the placeholder, and the Pods
// that their real controllers create again.
//
// Neighbours: test/placement does the same with single Pods; the properties of
// sizes and audits are tested beside package surge.
package surge_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

var (
	cp  *controlplane.ControlPlane
	api client.Client
)

// space is the namespace in which everything happens.
const space = "shop"

func TestMain(m *testing.M) {
	use := func(started *controlplane.ControlPlane) { cp = started }
	os.Exit(controlplane.Main(runner(m.Run), controlplane.Options{}, use))
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
	if api, err = cp.Client(); err != nil {
		return err
	}
	return cp.CreateNamespace(ctx, space, nil)
}
