package controlplane_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// parentMode makes this test binary a program that starts a control plane and
// then does as the mode says; the tests below watch what is left of it.
const (
	parentMode = "CONTROLPLANE_TEST_PARENT"
	parentDir  = "CONTROLPLANE_TEST_DIR"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(parentMode); mode != "" {
		parent(mode)
		return
	}
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

func parent(mode string) {
	cp, err := controlplane.Start(context.Background(), controlplane.Options{
		Dir:        os.Getenv(parentDir),
		Components: controlplane.APIOnly(),
		Detach:     mode == "detach",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	fmt.Println(cp.Kubeconfig())
	switch mode {
	case "detach":
	case "panic":
		panic("on purpose")
	default:
		select {}
	}
}

func TestNothingIsLeftWhenTheParent(t *testing.T) {
	tests := []struct {
		name      string
		mode      string
		signal    syscall.Signal
		wantFiles bool
		reason    string
	}{
		{name: "is killed", mode: "wait", signal: syscall.SIGKILL, wantFiles: true, reason: "the kernel ends the components, nobody can tidy up"},
		{name: "panics", mode: "panic", wantFiles: true, reason: "the logs are wanted then"},
		{name: "is interrupted", mode: "wait", signal: syscall.SIGINT, reason: "Ctrl-C is an orderly end"},
		{name: "is terminated", mode: "wait", signal: syscall.SIGTERM, reason: "so is an end asked for"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "plane")
			command := startParent(t, test.mode, dir)
			if test.signal != 0 {
				if got := len(livingIn(t, dir)); got != 2 {
					t.Fatalf("%d processes run, want etcd and kube-apiserver", got)
				}
				if err := command.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
			}
			if err := command.Wait(); err == nil {
				t.Error("the parent ended as if nothing had happened")
			}
			eventually(t, func() error {
				if left := livingIn(t, dir); len(left) > 0 {
					return fmt.Errorf("left: %q", left)
				}
				return nil
			})
			if _, err := os.Stat(dir); (err == nil) != test.wantFiles {
				t.Errorf("directory: %v, want it kept: %v; %s", err, test.wantFiles, test.reason)
			}
		})
	}
}

func TestADetachedControlPlaneOutlivesItsParentUntilStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	command := startParent(t, "detach", dir)
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "admin.kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.List(t.Context(), &corev1.NamespaceList{}); err != nil {
		t.Fatalf("after its parent's end the API server answers: %v", err)
	}
	if err := controlplane.Stop(dir); err != nil {
		t.Fatal(err)
	}
	if left := livingIn(t, dir); len(left) > 0 {
		t.Errorf("left after Stop: %q", left)
	}
	if err := controlplane.Stop(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stopped again: %v, want an error that there is none", err)
	}
}

func TestStopEndsEverythingAndTellsOfACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	options := controlplane.Options{Dir: dir, Components: controlplane.APIOnly(), Log: t.Output()}
	cp, err := controlplane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := cp.Run(t.Context(), controlplane.Process{Name: "crasher", Path: sleep, Args: []string{"0"}}); err != nil {
		t.Fatal(err)
	}
	if err := cp.Run(t.Context(), controlplane.Process{Name: "sleeper", Path: sleep, Args: []string{"3600"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if left := livingIn(t, dir); len(left) != 3 {
			return fmt.Errorf("run: %q, want etcd, kube-apiserver and the sleeper", left)
		}
		return nil
	})
	if err := cp.Stop(); err == nil || !strings.Contains(err.Error(), "crasher ended on its own: exit status 0") {
		t.Errorf("Stop says %v, want that the crasher ended on its own", err)
	}
	if left := livingIn(t, dir); len(left) > 0 {
		t.Errorf("left after Stop: %q", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "kube-apiserver.log")); err != nil {
		t.Errorf("the log of a run that went wrong: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "etcd-data")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of etcd: %v, want it gone", err)
	}
}

func TestAFailedStartEndsWhatItStartedAndShowsTheLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	_, err := controlplane.Start(t.Context(), controlplane.Options{
		Dir:        dir,
		Components: controlplane.APIOnly(),
		Flags:      map[string][]string{controlplane.APIServer: {"--no-such-flag"}},
	})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("error is %v, want the API server's own words", err)
	}
	if left := livingIn(t, dir); len(left) > 0 {
		t.Errorf("left after a failed start: %q", left)
	}
	if err := controlplane.Stop(dir); err != nil {
		t.Errorf("what a failed start left cannot be cleared: %v", err)
	}
}

func TestAFreePortIsFree(t *testing.T) {
	number, err := controlplane.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", number))
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
}

// startParent returns when the parent has said that its control plane is ready.
func startParent(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), parentMode+"="+mode, parentDir+"="+dir)
	command.Stderr = t.Output()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	if _, err := output.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the parent says nothing: %v; %v", err, command.Wait())
	}
	return command
}

// livingIn looks at all processes there are, not at a list of known ones.
func livingIn(t *testing.T, dir string) []string {
	t.Helper()
	places, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var living []string
	for _, place := range places {
		where, err := os.Readlink(place)
		if err == nil && strings.TrimSuffix(where, " (deleted)") == dir {
			living = append(living, place)
		}
	}
	return living
}
