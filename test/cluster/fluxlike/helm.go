package main

import (
	"crypto/sha256"
	"fmt"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// maxReleaseName is Helm's own limit.
const maxReleaseName = 53

// helmFor configures Helm's actions for one attempt, so that none acts on what an
// earlier one has learned of the API server.
func (r *reconciler) helmFor(release *v2.HelmRelease) (*action.Configuration, error) {
	helm := action.NewConfiguration()
	getter := &clients{config: r.config, namespace: release.GetReleaseNamespace()}
	if err := helm.Init(getter, release.GetStorageNamespace(), "secret"); err != nil {
		return nil, fmt.Errorf("configure Helm: %w", err)
	}
	// Init takes one namespace for both: where the history is kept. This is where
	// objects without a namespace go.
	if client, ok := helm.KubeClient.(*kube.Client); ok {
		client.Namespace = release.GetReleaseNamespace()
	}
	return helm, nil
}

// releaseName is the release's name in Helm, cut to what Helm takes.
func releaseName(release *v2.HelmRelease) string {
	name := release.GetReleaseName()
	if len(name) <= maxReleaseName {
		return name
	}
	return fmt.Sprintf("%s-%.6x", name[:40], sha256.Sum256([]byte(name)))
}

// clients are what Helm asks the API server with.
type clients struct {
	config    *rest.Config
	namespace string
	discovery discovery.CachedDiscoveryInterface
}

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (c *clients) ToRESTConfig() (*rest.Config, error) {
	return rest.CopyConfig(c.config), nil
}

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (c *clients) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	if c.discovery == nil {
		client, err := discovery.NewDiscoveryClientForConfig(c.config)
		if err != nil {
			return nil, err
		}
		c.discovery = memory.NewMemCacheClient(client)
	}
	return c.discovery, nil
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (c *clients) ToRESTMapper() (meta.RESTMapper, error) {
	client, err := c.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return restmapper.NewDeferredDiscoveryRESTMapper(client), nil
}

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter. It knows no
// more than the namespace.
func (c *clients) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	overrides := &clientcmd.ConfigOverrides{Context: api.Context{Namespace: c.namespace}}
	return clientcmd.NewDefaultClientConfig(*api.NewConfig(), overrides)
}
