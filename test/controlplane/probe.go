package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"time"
)

// probe asks a component's own health endpoint.
func (cp *ControlPlane) probe(component string) func(context.Context) error {
	switch component {
	case Etcd:
		return HTTPReady("http://"+cp.address(Etcd)+"/health", nil)
	case Kwok:
		return HTTPReady("http://"+cp.address(Kwok)+"/healthz", nil)
	case APIServer, Scheduler:
		return HTTPReady("https://"+cp.address(component)+"/readyz", cp.authority)
	default:
		return HTTPReady("https://"+cp.address(component)+"/healthz", cp.authority)
	}
}

// HTTPReady is a Ready for a Process: an URL that answers 200, with a certificate
// of this authority where it is https.
func HTTPReady(url string, authority *Authority) func(context.Context) error {
	roots := x509.NewCertPool()
	if authority != nil {
		roots.AddCert(authority.certificate)
	}
	client := &http.Client{
		Timeout: 5 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			// A connection kept open would hold up the end of the server.
			DisableKeepAlives: true,
		},
	}
	return func(ctx context.Context) error { return get(ctx, client, url) }
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, tail)) // only to show it
	return fmt.Errorf("ask %s: %s: %s", url, response.Status, body)
}
