package e2e_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	apiutil "github.com/cert-manager/cert-manager/pkg/api/util"
	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
)

// renewLeaf returns when the server shows a new leaf.
func (w *world) renewLeaf(t *testing.T, reviews *load) {
	t.Helper()
	began := time.Now()
	before := serialOf(t, w.secret(t, leafSecret).Data["tls.crt"])
	w.renew(t, name)
	var serial string
	await(t, func(context.Context) error {
		if serial = serialOf(t, w.secret(t, leafSecret).Data["tls.crt"]); serial == before {
			return errors.New("the leaf has not been issued anew")
		}
		return nil
	})
	issued := time.Since(began)
	await(t, func(context.Context) error {
		if reviews.served(serial) == 0 {
			return errors.New("no connection was given the new leaf")
		}
		return nil
	})
	t.Logf("a new leaf was issued after %.1f s and served after %.1f s", issued.Seconds(), time.Since(began).Seconds())
}

// renewCA renews the CA and then the leaf, from which the caBundle is taken. The
// injector keeps the old CA beside the new one.
func (w *world) renewCA(t *testing.T, reviews *load) {
	t.Helper()
	before := w.secret(t, caName)
	w.renew(t, caName)
	after := w.awaitOtherCA(t, before)
	if !bytes.Equal(after.Data["tls.key"], before.Data["tls.key"]) {
		t.Error("the key of the CA has changed: leaves signed before do not verify any more")
	}
	w.signedBy(t, reviews, after.Data["tls.crt"])
}

// loseCA deletes the CA with its key. The leaf carries what it verifies by, so it
// goes on until its renewal, and through that by the injector's keeping both CAs.
func (w *world) loseCA(t *testing.T, reviews *load) {
	t.Helper()
	before := w.secret(t, caName)
	if err := w.Client.Delete(t.Context(), before.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	after := w.awaitOtherCA(t, before)
	if bytes.Equal(after.Data["tls.key"], before.Data["tls.key"]) {
		t.Fatal("the lost key is back")
	}
	w.signedBy(t, reviews, after.Data["tls.crt"])
}

// signedBy renews the leaf until it is one of this CA: cert-manager signs by what
// its cache has, which may be behind for a moment.
func (w *world) signedBy(t *testing.T, reviews *load, ca []byte) {
	t.Helper()
	for w.renewLeaf(t, reviews); !bytes.Equal(w.secret(t, leafSecret).Data["ca.crt"], ca); {
		w.renewLeaf(t, reviews)
	}
	w.awaitBundle(t, ca)
}

// awaitOtherCA waits for a CA that is not the one before.
func (w *world) awaitOtherCA(t *testing.T, before *corev1.Secret) *corev1.Secret {
	t.Helper()
	after := &corev1.Secret{}
	await(t, func(ctx context.Context) error {
		if err := w.Client.Get(ctx, client.ObjectKeyFromObject(before), after); err != nil {
			return err
		}
		if bytes.Equal(after.Data["tls.crt"], before.Data["tls.crt"]) {
			return errors.New("the CA has not been issued anew")
		}
		return nil
	})
	return after
}

// renew asks cert-manager to issue a Certificate anew, as `cmctl renew` does.
func (w *world) renew(t *testing.T, certificate string) {
	t.Helper()
	await(t, func(ctx context.Context) error {
		var found certmanagerv1.Certificate
		if err := w.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: certificate}, &found); err != nil {
			return err
		}
		apiutil.SetCertificateCondition(&found, found.Generation, certmanagerv1.CertificateConditionIssuing,
			cmmeta.ConditionTrue, "ManuallyTriggered", "Certificate re-issuance manually triggered")
		return w.Client.Status().Update(ctx, &found)
	})
}

// bundles are the caBundles of every webhook.
func (w *world) bundles(t *testing.T) [][]byte {
	t.Helper()
	var mutating admissionregistrationv1.MutatingWebhookConfiguration
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	for _, object := range []client.Object{&mutating, &validating} {
		if err := w.Client.Get(t.Context(), client.ObjectKey{Name: name}, object); err != nil {
			t.Fatal(err)
		}
	}
	var found [][]byte
	for _, hook := range mutating.Webhooks {
		found = append(found, hook.ClientConfig.CABundle)
	}
	for _, hook := range validating.Webhooks {
		found = append(found, hook.ClientConfig.CABundle)
	}
	return found
}

func (w *world) awaitBundle(t *testing.T, ca []byte) {
	t.Helper()
	await(t, func(context.Context) error {
		for i, bundle := range w.bundles(t) {
			if !bytes.Contains(bundle, bytes.TrimSpace(ca)) {
				return fmt.Errorf("webhook %d does not have the CA", i)
			}
		}
		return nil
	})
}

func serialOf(t *testing.T, text []byte) string {
	t.Helper()
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatal("no certificate in PEM")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return leaf.SerialNumber.String()
}
