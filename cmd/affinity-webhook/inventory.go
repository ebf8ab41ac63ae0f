package main

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/inventory"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook"
)

// keep makes the inventory, of all that previews read or of tags alone.
func (s *server) keep(o *options, config *rest.Config, live client.Reader) error {
	watcher, err := client.NewWithWatch(config, client.Options{
		Scheme: s.manager.GetScheme(), Mapper: s.manager.GetRESTMapper(), HTTPClient: s.manager.GetHTTPClient(),
	})
	if err != nil {
		return fmt.Errorf("make the client of the inventory: %w", err)
	}
	extent := inventory.TagsOnly
	if o.previews {
		extent = inventory.Previews
	}
	s.inventory = inventory.New(watcher, live, extent, s.manager.GetLogger().WithName("inventory"))
	return nil
}

// access is who may see what a preview tells; nil without previews.
func (s *server) access(o *options, config *rest.Config) (webhook.Access, error) {
	if !o.previews {
		return nil, nil
	}
	clients, err := kubernetes.NewForConfigAndClient(config, s.manager.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("make the client of access reviews: %w", err)
	}
	return newAccess(clients.AuthorizationV1().SubjectAccessReviews(), s.manager.GetLogger().WithName("access")), nil
}

// unsatisfiable is what becomes of a Pod whose requirement leaves no node.
func (o *options) unsatisfiable() (v1alpha1.EnforcementAction, error) {
	switch action := v1alpha1.EnforcementAction(o.unsatisfiableRequire); action {
	case v1alpha1.Deny, v1alpha1.Warn:
		return action, nil
	default:
		return "", fmt.Errorf("--unsatisfiable-require=%s: must be %s or %s", o.unsatisfiableRequire, v1alpha1.Deny, v1alpha1.Warn)
	}
}
