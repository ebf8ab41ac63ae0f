package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/cozystack/affinityclass/affinityclass/inventory"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/reconcile"
	"github.com/cozystack/affinityclass/affinityclass/store"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// run makes the server and serves until ctx ends.
func run(ctx context.Context, o *options) error {
	ctrl.SetLogger(newLogger(&o.zap))
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = o.qps, o.burst
	server, err := newServer(o, config)
	if err != nil {
		return err
	}
	defer server.stopEvents()
	return server.manager.Start(ctx)
}

// server is what is wired together.
type server struct {
	manager    manager.Manager
	policies   *store.Store
	releases   *cluster.ReleaseCache
	inventory  *inventory.Inventory
	usage      *reconcile.Usage
	children   *reconcile.Children
	reader     *cluster.Reader
	events     events
	stopEvents func()
	expiry     certificateExpiry
}

func newServer(o *options, config *rest.Config) (*server, error) {
	s := &server{expiry: newCertificateExpiry(o.certDir), usage: reconcile.NewUsage()}
	var err error
	if s.manager, err = newManager(o, config); err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	s.releases = cluster.WatchReleases(s.manager.GetCache())
	s.reader, err = cluster.New(cluster.Options{Config: config, Releases: s.releases, Observer: newReadMetrics(metrics.Registry)})
	if err != nil {
		return nil, err
	}
	live := confirmed{s.manager.GetAPIReader(), s.reader.Ready}
	s.policies = store.New(s.manager.GetCache(), live, o.scope(), o.source(), s.manager.GetLogger().WithName("store"))
	if err := s.keep(o, config, live); err != nil {
		return nil, err
	}
	s.children = reconcile.NewChildren(s.releases)
	s.releases.Tell(s.changed)
	s.policies.Tell(s.countTenant)
	if s.events, s.stopEvents, err = newEvents(config, s.manager.GetScheme()); err != nil {
		return nil, fmt.Errorf("make the event recorder: %w", err)
	}
	if err := s.register(o, config); err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, s.elect(o, config)
}

func newManager(o *options, config *rest.Config) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, tenantv1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	drain := 30 * time.Second
	return manager.New(config, manager.Options{
		Scheme:                  scheme,
		Logger:                  ctrl.Log,
		Metrics:                 metricsserver.Options{BindAddress: o.metricsAddr},
		HealthProbeBindAddress:  o.probeAddr,
		GracefulShutdownTimeout: &drain,
		// Not by object: that would ask the API server for the kinds at once, and the
		// server is to start without it.
		Cache: cache.Options{DefaultTransform: trim},
		WebhookServer: ctrlwebhook.NewServer(ctrlwebhook.Options{
			Host: o.webhookHost, Port: o.webhookPort, CertDir: o.certDir, TLSOpts: []func(*tls.Config){modern},
		}),
	})
}

// trim keeps of a cached object what is read of it.
func trim(object any) (any, error) {
	if _, ok := object.(*corev1.Node); ok {
		return reconcile.TrimNode(object)
	}
	return cluster.TrimRelease(object)
}

// register puts the handlers on their paths.
func (s *server) register(o *options, api *rest.Config) error {
	action, err := o.unsatisfiable()
	if err != nil {
		return err
	}
	access, err := s.access(o, api)
	if err != nil {
		return err
	}
	labels := review.ClassLabels()
	if o.lineageLabels {
		labels = append(labels, review.ApplicationLabels()...)
	}
	begin := func(namespace string) review.Reads { return s.reader.Begin(namespace) }
	config := webhook.Config{
		Reviewer: review.New(begin, s.policies, review.Options{
			OwnerKindsRole: o.ownersRole, Referrers: s.policies, Subtenants: s.policies, Releases: s.releases,
			State: s.inventory, StateAge: s.inventory.Age, UnsatisfiableRequire: action,
		}),
		Labels:   labels,
		Recorder: s.events,
		Metrics:  webhook.NewMetrics(metrics.Registry),
		Limits:   o.limits,
		Access:   access,
		Load:     webhook.NewLoad(o.limits),
		Log:      s.manager.GetLogger().WithName("webhook"),
	}
	hooks := s.manager.GetWebhookServer()
	hooks.Register("/mutate-pod", webhook.MutatePod(config))
	hooks.Register("/mutate-helmrelease", webhook.MutateRelease(config))
	hooks.Register("/validate-helmrelease", webhook.ValidateRelease(config))
	hooks.Register("/validate-application", webhook.ValidateApplication(config))
	hooks.Register("/validate-tenant", webhook.ValidateTenant(config))
	hooks.Register("/validate-affinityclass", webhook.ValidateClass(config))
	for suffix, mode := range map[string]policy.Mode{"": policy.Deny, "/warn": policy.Warn, "/audit": policy.Audit} {
		hooks.Register("/validate-pod"+suffix, webhook.ValidatePod(config, mode))
		hooks.Register("/validate-workload"+suffix, webhook.ValidateWorkload(config, mode))
	}
	return nil
}

// elect adds what only one replica does.
func (s *server) elect(o *options, config *rest.Config) error {
	if !o.leaderElect {
		return nil
	}
	election, err := newElection(config, o.leaderNS, s.reconcile, s.manager.GetLogger().WithName("election"))
	if err != nil {
		return err
	}
	return s.manager.Add(election)
}

// reconcile is what the elected replica does until ctx ends.
func (s *server) reconcile(ctx context.Context) {
	log := s.manager.GetLogger().WithName("reconcile")
	err := reconcile.Run(ctx, reconcile.Config{
		Cache: s.manager.GetCache(), Client: s.manager.GetClient(), Policy: s.policies.Snapshot,
		Usage: s.usage, Children: s.children, Live: s.policies, Recorder: s.events.recorder, Log: log,
	})
	if err != nil && ctx.Err() == nil {
		log.Error(err, "status and finalizers are not kept, releases not touched")
	}
	<-ctx.Done()
}

// changed keeps the usage of classes in step with the releases, and has the parts of
// one follow it.
func (s *server) changed(before, after *lineage.Object) {
	release, class := before, ""
	if after != nil {
		release = after
		class, _ = policy.ClassName(after.Labels)
	}
	s.usage.Set(release.Namespace+"/"+release.Name, class)
	s.children.Changed(before, after)
}

// countTenant keeps the usage of classes in step with the Tenants.
func (s *server) countTenant(tenant policy.Tenant, gone bool) {
	var classes []string
	if !gone {
		classes = append(classes, tenant.Allowed...)
		if tenant.Default != "" {
			classes = append(classes, tenant.Default)
		}
	}
	s.usage.SetTenant(tenant.Namespace+"/"+tenant.Name, classes)
}

// start hands the manager what runs on every replica, and the probes.
func (s *server) start() error {
	for _, runnable := range []manager.Runnable{s.policies, s.releases, s.inventory} {
		if err := s.manager.Add(runnable); err != nil {
			return err
		}
	}
	metrics.Registry.MustRegister(newSnapshotAge(s.policies), newInventoryAge(s.inventory.Age), s.expiry)
	if err := s.manager.AddHealthzCheck("alive", func(*http.Request) error { return nil }); err != nil {
		return err
	}
	return s.ready(map[string]func(*http.Request) error{
		"classes":   filled(s.policies.HasSynced, "AffinityClasses, AffinityExemptions, Tenants or namespaces have not been read yet"),
		"inventory": filled(s.inventory.HasSynced, "nodes, Pods or what else previews read have not been read yet"),
		"releases":  filled(s.releases.HasSynced, "HelmReleases have not been read yet"),
		"webhook":   s.manager.GetWebhookServer().StartedChecker(),
	})
}

func (s *server) ready(checks map[string]func(*http.Request) error) error {
	for name, check := range checks {
		if err := s.manager.AddReadyzCheck(name, check); err != nil {
			return err
		}
	}
	return nil
}

func filled(synced func() bool, otherwise string) func(*http.Request) error {
	err := errors.New(otherwise)
	return func(*http.Request) error {
		if synced() {
			return nil
		}
		return err
	}
}
