package controlplane

import (
	"fmt"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// URL of the API server.
func (cp *ControlPlane) URL() string { return "https://" + cp.address(APIServer) }

// Dir holds the logs (NAME.log), certificates and kubeconfigs.
func (cp *ControlPlane) Dir() string { return cp.dir }

// CA signs everything here. The serving certificate of a webhook is to be had
// from it, and its CertPEM is the caBundle.
func (cp *ControlPlane) CA() *Authority { return cp.authority }

// Kubeconfig is the path of an administrator's kubeconfig.
func (cp *ControlPlane) Kubeconfig() string { return cp.kubeconfig(adminName) }

// RESTConfig is an administrator's, in group system:masters.
func (cp *ControlPlane) RESTConfig() (*rest.Config, error) {
	admin := administrator()
	return cp.ConfigFor(admin.user, admin.groups...)
}

// ConfigFor is the configuration of any user, known to the API server by a client
// certificate. It limits nothing on the client's side: a test that is slow shall
// be slow for a reason.
func (cp *ControlPlane) ConfigFor(user string, groups ...string) (*rest.Config, error) {
	pair, err := cp.authority.IssueClient(user, groups...)
	if err != nil {
		return nil, fmt.Errorf("make a configuration for %s: %w", user, err)
	}
	return &rest.Config{
		Host:  cp.URL(),
		QPS:   -1,
		Burst: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   cp.authority.CertPEM(),
			CertData: pair.Cert,
			KeyData:  pair.Key,
		},
	}, nil
}

// Client is an administrator's, for the built-in kinds.
func (cp *ControlPlane) Client() (client.Client, error) {
	config, err := cp.RESTConfig()
	if err != nil {
		return nil, err
	}
	direct, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return nil, fmt.Errorf("make a client of the control plane: %w", err)
	}
	return direct, nil
}
