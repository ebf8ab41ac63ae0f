package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/go-logr/logr"
	"helm.sh/helm/v4/pkg/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// fieldManager is helm-controller's, so that managedFields look the same.
const fieldManager = "helm-controller"

type options struct {
	charts        string
	healthAddress string
	concurrent    int
}

func main() {
	var o options
	flag.StringVar(&o.charts, "charts", "", "folder that holds the charts")
	flag.StringVar(&o.healthAddress, "health-address", "0", "address of /readyz; 0 is none")
	flag.IntVar(&o.concurrent, "concurrent", 8, "releases acted on at the same time")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctrl.SetLogger(logr.FromSlogHandler(log.Handler()))
	// Helm repeats in its log what its errors say.
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err := run(o); err != nil {
		log.Error("fluxlike ended", "error", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if _, err := os.ReadDir(o.charts); err != nil {
		return fmt.Errorf("read the folder of --charts: %w", err)
	}
	kube.ManagedFieldsManager = fieldManager
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := errors.Join(v2.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return fmt.Errorf("make the scheme: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: o.healthAddress,
	})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	r := &reconciler{
		client: mgr.GetClient(),
		reader: mgr.GetAPIReader(),
		events: mgr.GetEventRecorder(fieldManager),
		config: config,
		charts: o.charts,
	}
	if err := errors.Join(r.setUp(mgr, o.concurrent), mgr.AddReadyzCheck("watching", watching(mgr))); err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

// watching is content when HelmReleases are: what is created from then on is seen.
func watching(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		_, err := mgr.GetCache().GetInformer(request.Context(), &v2.HelmRelease{}, cache.BlockUntilSynced(true))
		return err
	}
}
