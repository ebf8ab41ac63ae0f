package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"

	"golang.org/x/sync/errgroup"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	kubeconfig := os.Getenv("KUBECONFIG")
	health := flag.String("health-address", "0", "address of /readyz; 0 is none")
	flag.Parse()
	ctrl.SetLogger(logs.Log)
	ctx := log.IntoContext(ctrl.SetupSignalHandler(), logs.Log)
	if err := run(ctx, kubeconfig, *health); err != nil {
		fmt.Fprintf(os.Stderr, "certmanager: %v\n", err)
		os.Exit(1)
	}
}

// run ends when ctx does, or with the first controller that fails.
func run(ctx context.Context, kubeconfig, health string) error {
	injector, err := newInjector(ctx, kubeconfig, health)
	if err != nil {
		return fmt.Errorf("make the injector of CAs: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	controllers, err := newControllers(ctx, kubeconfig)
	if err != nil {
		return fmt.Errorf("make the controllers of certificates: %w", err)
	}
	if err := injector.AddReadyzCheck("controllers", controllers.watching); err != nil {
		return fmt.Errorf("tell the controllers' readiness: %w", err)
	}
	group.Go(func() error { return injector.Start(ctx) })
	controllers.start(ctx, group)
	return group.Wait()
}

var errNotWatching = errors.New("not everything is watched yet")

// watching is content when each kind has been read once: what is created from
// then on is seen.
func (c *controllers) watching(*http.Request) error {
	if !c.synced.Load() {
		return errNotWatching
	}
	return nil
}
