package e2e_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const (
	shop = "shop"
	zone = "topology.kubernetes.io/zone"

	leafSecret = name + "-tls"
	caName     = name + "-ca" // of the Certificate and of its Secret
)

func TestCertificatesAreIssuedInjectedAndRenewedUnderLoad(t *testing.T) {
	w := startWorld(t)
	chart := newHelm(t, w.cp)
	began := time.Now()
	chart.install(t)
	t.Logf("issued and injected, and found ready by Helm, after %.1f s", time.Since(began).Seconds())
	ca := w.secret(t, caName).Data["tls.crt"]
	w.awaitBundle(t, ca)
	reviews := &load{world: w, address: w.runServer(t)}
	w.openShop(t)

	stop := reviews.run(t.Context())
	defer stop()
	t.Run("the leaf is renewed three times, and the CA stays", func(t *testing.T) {
		for range 3 {
			w.renewLeaf(t, reviews)
		}
		if !bytes.Equal(w.secret(t, caName).Data["tls.crt"], ca) {
			t.Error("the renewal of a leaf has changed the CA")
		}
		for _, bundle := range w.bundles(t) {
			if !bytes.Equal(bundle, ca) {
				t.Error("the renewal of a leaf has changed a caBundle")
			}
		}
	})
	t.Run("the CA is renewed, and leaves of before and after verify", func(t *testing.T) {
		w.renewCA(t, reviews)
	})
	t.Run("a CA whose key is lost is replaced", func(t *testing.T) {
		w.loseCA(t, reviews)
	})
	t.Run("two upgrades leave the injected CA alone", func(t *testing.T) {
		bundle := w.bundles(t)[0]
		for range 2 {
			chart.upgrade(t)
			for _, now := range w.bundles(t) {
				if !bytes.Equal(now, bundle) {
					t.Error("helm upgrade has changed a caBundle")
				}
			}
		}
	})
	stop()
	reviews.report(t)
	w.uninstalled(t, chart)
}

// uninstalled removes the release: what it judged by stays, and judges no more.
func (w *world) uninstalled(t *testing.T, chart *helm) {
	t.Helper()
	chart.uninstall(t)
	if err := w.Client.Get(t.Context(), client.ObjectKey{Name: "dc1"}, &v1alpha1.AffinityClass{}); err != nil {
		t.Errorf("the class has gone with the release: %v", err)
	}
	await(t, func(ctx context.Context) error { return w.Client.Create(ctx, badPod(), client.DryRunAll) })
	err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &certmanagerv1.Certificate{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the Certificate must go with the release: %v", err)
	}
}
