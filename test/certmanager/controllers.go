package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cert-manager/cert-manager/pkg/controller"

	// Each enters itself into what controller.Known gives.
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

// workers of each controller: cert-manager's own default.
const workers = 5

// controllers are those of Issuers, Certificates and CertificateRequests.
type controllers struct {
	shared *controller.Context
	byName map[string]controller.Interface
	synced atomic.Bool
}

// newControllers makes all that are compiled in, with cert-manager's defaults.
func newControllers(ctx context.Context, kubeconfig string) (*controllers, error) {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:         kubeconfig,
		KubernetesAPIQPS:   20,
		KubernetesAPIBurst: 50,
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return nil, err
	}
	c := &controllers{byName: map[string]controller.Interface{}}
	if c.shared, err = factory.Build(); err != nil {
		return nil, err
	}
	for name, construct := range controller.Known() {
		if c.byName[name], err = construct(factory); err != nil {
			return nil, fmt.Errorf("make controller %s: %w", name, err)
		}
	}
	return c, nil
}

// start runs them in the group until its context ends. The informers are started
// last: each controller has asked for its own by then.
func (c *controllers) start(ctx context.Context, group *errgroup.Group) {
	for _, name := range slices.Sorted(maps.Keys(c.byName)) {
		group.Go(func() error {
			if err := c.byName[name].Run(workers, ctx); err != nil {
				return fmt.Errorf("run controller %s: %w", name, err)
			}
			return nil
		})
	}
	c.shared.SharedInformerFactory.Start(ctx.Done())
	c.shared.KubeSharedInformerFactory.Start(ctx.Done())
	c.shared.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	go func() {
		c.shared.SharedInformerFactory.WaitForCacheSync(ctx.Done())
		c.shared.KubeSharedInformerFactory.WaitForCacheSync(ctx.Done())
		c.synced.Store(ctx.Err() == nil)
	}()
}
