package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cozystack/affinityclass/test/charts"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

// up starts, plays the story and leaves everything running, also when the story
// does not hold: there is something to look at then.
func (d *demo) up(ctx context.Context) error {
	switch _, err := os.Stat(d.kubeconfig()); {
	case err == nil:
		return d.again(ctx)
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("look for a running demo: %w", err)
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.play(ctx, story()); err != nil {
		return fmt.Errorf("%w\n\nEverything is left running to look at.\n%s", err, d.goOn())
	}
	d.screen.title("The story holds, and everything is left running.")
	d.screen.plain(d.goOn() + tries)
	return nil
}

// again answers who starts a second one.
func (d *demo) again(ctx context.Context) error {
	ask := see("", "kubectl get --raw /readyz")
	ask.patience = 5 * time.Second
	if _, err := d.attempt(ctx, ask); err != nil {
		return fmt.Errorf("%s holds a demo that does not answer (one that is just starting, or what is left of an earlier one)\nend it with `%s`, then start again", d.dir, d.endCommand())
	}
	d.screen.title("A demo runs already, in " + d.dir)
	d.screen.plain(d.goOn() + tries)
	return nil
}

// errInterrupted ends a start that somebody broke off. The screen has said so.
var errInterrupted = errors.New("interrupted")

// start brings up the control plane with everything that the story needs. What it
// started is ended when it fails; the logs are kept, unless it was interrupted.
//
// The control plane hears of an interrupt by itself, and ends itself and then this
// process. The context is kept from it, lest it report as failures what it ended.
func (d *demo) start(ctx context.Context) error {
	d.screen.title("A control plane with six nodes, and the affinity webhook")
	told := context.AfterFunc(ctx, func() { d.screen.plain("demo: interrupted, ending what was started") })
	defer told()
	options := controlplane.Options{Dir: d.dir, Detach: true, Log: d.screen.out}
	cp, err := controlplane.Start(context.WithoutCancel(ctx), options)
	if err == nil {
		err = d.furnish(ctx, cp)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// furnish ends the control plane where it fails.
func (d *demo) furnish(ctx context.Context, cp *controlplane.ControlPlane) error {
	err := install(ctx, cp)
	switch {
	case ctx.Err() != nil:
		return cp.Stop()
	case err != nil:
		cp.KeepLogs()
		return errors.Join(err, cp.Stop())
	}
	return nil
}

func install(ctx context.Context, cp *controlplane.ControlPlane) error {
	if _, err := platform.Install(ctx, cp, platform.Options{}); err != nil {
		return fmt.Errorf("install the affinity webhook: %w", err)
	}
	if err := charts.Run(ctx, cp, charts.Examples); err != nil {
		return fmt.Errorf("start what installs charts: %w", err)
	}
	return cp.AddNodes(ctx, nodes())
}

// down ends what runs; that nothing does is no failure.
func (d *demo) down() error {
	switch err := controlplane.Stop(d.dir); {
	case errors.Is(err, os.ErrNotExist):
		d.screen.plain("No demo runs in " + d.dir + ".")
		return nil
	case err != nil:
		return err
	}
	d.screen.plain("The demo is ended, and " + d.dir + " is removed.")
	return nil
}

func (d *demo) kubeconfig() string { return filepath.Join(d.dir, "admin.kubeconfig") }

// goOn says how to repeat the commands and how to end the demo.
func (d *demo) goOn() string {
	return fmt.Sprintf(`
To go on, in this shell:

  export KUBECONFIG=%s
  export PATH=%s:$PATH
  cd %s

To end it:

  %s
`, d.kubeconfig(), strings.Join(d.programs(), ":"), filepath.Join(d.root, manifests), d.endCommand())
}

func (d *demo) endCommand() string {
	if d.dir == filepath.Join(d.root, defaultDir) {
		return "make -C " + d.root + " demo-down"
	}
	return filepath.Join(d.root, "bin", "demo") + " -dir " + d.dir + " down"
}

const tries = `
Three things to try:

  # give the application a chart that does not forget: it comes up in dc1
  kubectl patch helmrelease proxy -n shop --type merge \
    -p '{"spec":{"chart":{"spec":{"chart":"web"}}}}'

  # try to change what a class means: it cannot be changed
  kubectl patch affinityclass dc1 --type merge \
    -p '{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc2"}}}'

  # see the same chart pass in one class and be denied in another
  helm template web ../../../charts/examples/web -f values/dc1.yaml \
    | affinityctl check -f - --classes class-dc2.yaml --class dc2
`
