package charts

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// Examples is the folder of the example charts, in the repository.
const Examples = "charts/examples"

// The names of the two processes, for Kill, Restart and the others of the
// control plane.
const (
	ReleaseController = "fluxlike"
	DatabaseOperator  = "pgop"
)

// Run starts both controllers and returns when they watch. The charts that
// HelmReleases name are found in a folder of the repository.
func Run(ctx context.Context, cp *controlplane.ControlPlane, folder string) error {
	root, err := controlplane.Root()
	if err != nil {
		return err
	}
	if err := run(ctx, cp, ReleaseController, "--charts", filepath.Join(root, folder)); err != nil {
		return err
	}
	return run(ctx, cp, DatabaseOperator)
}

func run(ctx context.Context, cp *controlplane.ControlPlane, name string, args ...string) error {
	program, err := controlplane.Binary(name)
	if err != nil {
		return err
	}
	port, err := controlplane.FreePort()
	if err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	return cp.Run(ctx, controlplane.Process{
		Name: name, Path: program, Args: append(args, "--health-address", address),
		Env:   []string{"KUBECONFIG=" + cp.Kubeconfig()},
		Ready: controlplane.HTTPReady("http://"+address+"/readyz", nil),
	})
}
