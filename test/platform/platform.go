// Package platform installs the affinity webhook on a control plane, for the
// demo and the tests: the CRDs, roles, admission policy and webhook
// configurations that the chart makes, and the real server as a process.
//
// One thing stands in for another: the webhook configurations reach the server
// by a URL on loopback and a caBundle made for the run, where the chart has a
// Service and cert-manager. The server is the ServiceAccount that the chart
// makes, with no more rights than its roles give.
package platform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// Namespace is where the chart's defaults put the server.
const Namespace = "affinity-system"

// Server is the name of the server's process, for Kill, Restart and the others
// of the control plane.
const Server = "affinity-webhook"

// Options of an installation; the zero value is one server with the chart's flags.
type Options struct {
	Flags []string // added to the server's own; the last one wins
	Env   []string // of the server's process
	// URL is what the webhook configurations name instead of the server itself,
	// such as a proxy of a test.
	URL string
}

// Platform is an installed affinity webhook.
type Platform struct {
	ControlPlane *controlplane.ControlPlane
	// Client is an administrator's; it knows AffinityClasses, Tenants and the built-in kinds.
	Client client.Client
	// URL of the server, Probes of its probes, Metrics of its metrics.
	URL, Probes, Metrics string
	certificates         string
}

// Install puts everything in place and returns when the server is ready.
func Install(ctx context.Context, cp *controlplane.ControlPlane, options Options) (*Platform, error) {
	p, err := Prepare(ctx, cp)
	if err != nil {
		return nil, err
	}
	if err := p.Serve(ctx, options); err != nil {
		return nil, err
	}
	url := p.URL
	if options.URL != "" {
		url = options.URL
	}
	return p, p.Webhooks(ctx, url)
}

// Prepare is Install without a server and the webhooks that name it, for tests
// that do these steps themselves.
func Prepare(ctx context.Context, cp *controlplane.ControlPlane) (*Platform, error) {
	p := &Platform{ControlPlane: cp, certificates: filepath.Join(cp.Dir(), "serving")}
	if err := p.connect(); err != nil {
		return nil, err
	}
	return p, p.definitions(ctx)
}

func (p *Platform) connect() error {
	config, err := p.ControlPlane.RESTConfig()
	if err != nil {
		return err
	}
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, tenantv1.AddToScheme} {
		if err := add(scheme.Scheme); err != nil {
			return err
		}
	}
	p.Client, err = client.New(config, client.Options{Scheme: scheme.Scheme})
	return err
}

// definitions applies what must be there before the server is: kinds, roles and
// the policy on namespace labels.
func (p *Platform) definitions(ctx context.Context) error {
	if err := p.ControlPlane.CreateNamespace(ctx, Namespace, nil); err != nil {
		return err
	}
	for _, dir := range []string{"config/crd", "test/cluster/crd", "config/rbac", "config/policy"} {
		objects, err := Manifests(dir)
		if err != nil {
			return err
		}
		if err := p.Apply(ctx, objects...); err != nil {
			return err
		}
	}
	return p.established(ctx)
}

// Webhooks applies the configurations, pointed at a URL, and returns when the API
// server asks there and is answered.
func (p *Platform) Webhooks(ctx context.Context, url string) error {
	if err := p.Configure(ctx, url); err != nil {
		return err
	}
	return p.Enforced(ctx)
}

// Configure is Webhooks for when nobody answers at the URL.
func (p *Platform) Configure(ctx context.Context, url string) error {
	objects, err := Manifests("config/webhook")
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := pointAt(object, url, p.ControlPlane.CA().CertPEM()); err != nil {
			return err
		}
	}
	return p.Apply(ctx, objects...)
}

// Issue writes the server's certificate; a running server takes it up by itself.
// The zero end is a year from now.
func (p *Platform) Issue(end time.Time) error {
	if end.IsZero() {
		end = time.Now().AddDate(1, 0, 0)
	}
	pair, err := p.ControlPlane.CA().IssueServingUntil(end, "127.0.0.1", "localhost")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.certificates, 0o700); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"tls.crt": pair.Cert, "tls.key": pair.Key} {
		if err := os.WriteFile(filepath.Join(p.certificates, name), text, 0o600); err != nil {
			return fmt.Errorf("write the serving certificate: %w", err)
		}
	}
	return nil
}
