package controlplane

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// ForTest starts a control plane that ends with the test; the logs are kept when
// the test has failed.
func ForTest(t testing.TB, options Options) *ControlPlane {
	t.Helper()
	if options.Log == nil {
		options.Log = t.Output()
	}
	cp, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			cp.KeepLogs()
		}
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cp
}

// Main is for a TestMain whose package shares one control plane: it starts it,
// hands it over, runs the tests and returns the exit code.
//
//	func TestMain(m *testing.M) { os.Exit(controlplane.Main(m, options, use)) }
func Main(m interface{ Run() int }, options Options, use func(*ControlPlane)) int {
	if options.Log == nil {
		options.Log = os.Stderr
	}
	cp, err := Start(context.Background(), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	use(cp)
	code := m.Run()
	if code != 0 {
		cp.KeepLogs()
	}
	if err := cp.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}
