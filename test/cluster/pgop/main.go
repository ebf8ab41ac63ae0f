package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	healthAddress := flag.String("health-address", "0", "address of /readyz; 0 is none")
	concurrent := flag.Int("concurrent", 8, "Clusters acted on at the same time")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctrl.SetLogger(logr.FromSlogHandler(log.Handler()))
	if err := run(*healthAddress, *concurrent); err != nil {
		log.Error("pgop ended", "error", err)
		os.Exit(1)
	}
}

func run(healthAddress string, concurrent int) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), batchv1.AddToScheme(scheme)); err != nil {
		return fmt.Errorf("make the scheme: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: healthAddress,
	})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	r := &reconciler{client: mgr.GetClient(), reader: mgr.GetAPIReader(), events: mgr.GetEventRecorder("cloudnative-pg")}
	if err := errors.Join(r.setUp(mgr, concurrent), mgr.AddReadyzCheck("watching", watching(mgr))); err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// watching is content when Clusters are: what is created from then on is seen.
func watching(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		_, err := mgr.GetCache().GetInformer(request.Context(), newCluster(), cache.BlockUntilSynced(true))
		return err
	}
}
