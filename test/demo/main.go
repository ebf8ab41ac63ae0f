// Command demo plays the project's story on a real control plane, in front of
// whoever runs it, and leaves everything running to go on with; or it ends that
// again.
//
// Its promise: what it prints is what happened. Every command it shows is run
// through a shell as it stands, its output is shown as it came, and the program
// fails where the story does not hold. Package controlplane gives it the control
// plane, package platform the installed webhook and package charts what installs
// the example charts; what it says about classes it leaves to the manifests and to
// the commands. It builds nothing: `make demo` does that.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cozystack/affinityclass/test/controlplane"
)

func main() {
	log.SetLogger(logr.Discard()) // unset, it breaks into the story with a warning
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, errInterrupted):
		os.Exit(exitInterrupted)
	case err != nil:
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

// exitInterrupted is what a shell makes of a program that an interrupt has ended.
const exitInterrupted = 130

const usage = "usage: demo [-dir DIR] up|down"

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dir := flags.String("dir", "", "where the control plane lives; .demo of the repository by default")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("%w\n%s", err, usage)
	}
	d, err := newDemo(*dir, out)
	if err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "up":
		return d.up(ctx)
	case "down":
		return d.down()
	default:
		return fmt.Errorf("say what to do\n%s", usage)
	}
}

// demo is one place where a demo may run.
type demo struct {
	root   string // of the repository
	dir    string // of the control plane
	screen screen
}

const defaultDir = ".demo"

func newDemo(dir string, out io.Writer) (*demo, error) {
	root, err := controlplane.Root()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		dir = filepath.Join(root, defaultDir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("find the directory of the demo: %w", err)
	}
	return &demo{root: root, dir: dir, screen: newScreen(out)}, nil
}
