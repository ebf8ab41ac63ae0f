package lineage

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const root = "../.."

// server is the environment that TestMain starts for the package.
var server *envtest.Environment

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	assets, err := filepath.Abs(cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), filepath.Join(root, "bin")))
	if err != nil {
		return 1, err
	}
	server = &envtest.Environment{BinaryAssetsDirectory: assets}
	if _, err := server.Start(); err != nil {
		return 1, fmt.Errorf("start the API server from %s (run make control-plane): %w", assets, err)
	}
	defer func() {
		if stop := server.Stop(); stop != nil && err == nil {
			code, err = 1, fmt.Errorf("stop the API server: %w", stop)
		}
	}()
	return m.Run(), nil
}
