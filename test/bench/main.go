// Command bench measures what a warm review costs: the real server on a real
// control plane, beside two baselines, over HTTPS on loopback, in one run. It
// prints ratios: absolute figures say more about the machine.
//
// The baselines are (a) controller-runtime's stock admission webhook with a
// handler that allows everything, and (b) a bare HTTPS handler that reads the uid
// and allows, which is the limit. Each server is a process of its own; they are
// loaded by turns, so that whatever else the machine does strikes all alike.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

type options struct {
	rounds  int
	each    time.Duration
	clients int
	baseline,
	address, certs string
}

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 9, "turns of each server; medians are printed")
	flag.DurationVar(&o.each, "each", 2*time.Second, "length of one turn")
	flag.IntVar(&o.clients, "clients", 64, "clients at once")
	flag.StringVar(&o.baseline, "serve", "", "be a baseline: stock or bare")
	flag.StringVar(&o.address, "address", "", "of the baseline")
	flag.StringVar(&o.certs, "certs", "", "directory of the baseline's tls.crt and tls.key")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := measure
	if o.baseline != "" {
		run = serve
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure starts everything, loads each server by turns, and prints.
func measure(ctx context.Context, o options) (err error) {
	log.SetLogger(logr.Discard())
	cp, err := controlplane.Start(ctx, controlplane.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	defer func() {
		if stopped := cp.Stop(); err == nil {
			err = stopped
		}
	}()
	p, err := platform.Install(ctx, cp, platform.Options{})
	if err != nil {
		return err
	}
	body, err := warm(ctx, p)
	if err != nil {
		return err
	}
	servers, err := start(ctx, p)
	if err != nil {
		return err
	}
	for _, component := range []string{controlplane.ControllerManager, controlplane.Scheduler, controlplane.Kwok} {
		if err := cp.Pause(component); err != nil {
			return err
		}
		defer cp.Resume(component) //nolint:errcheck // Stop says what does not end
	}
	if err := compare(ctx, o, servers, body); err != nil {
		return err
	}
	if err := memory(ctx, body); err != nil {
		return err
	}
	return scale(ctx)
}
