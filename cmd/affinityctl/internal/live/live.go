// Package live reads a cluster with the user's own kubeconfig and rights, as
// kubectl does. It never writes.
package live

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/lineage"
)

// Cluster is a cluster that can be read.
type Cluster struct {
	reader    client.Reader
	namespace string
}

// Namespace is the context's, "default" where it has none.
func (c *Cluster) Namespace() string { return c.namespace }

// Connect finds the cluster as kubectl does: the flag, $KUBECONFIG, the home
// directory, or the Pod's own account.
func Connect(kubeconfig, contextName string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := loaded.Namespace()
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, tenantv1.AddToScheme, corev1.AddToScheme, schedulingv1.AddToScheme, resourcev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	reader, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &Cluster{reader, namespace}, nil
}

const page = 500 // objects asked for at once

// Classes reads what the verb classes shows.
func (c *Cluster) Classes(ctx context.Context) (classes.Input, error) {
	var in classes.Input
	list := &v1alpha1.AffinityClassList{}
	if err := c.reader.List(ctx, list); err != nil {
		return in, fmt.Errorf("list AffinityClasses: %w", err)
	}
	in.Classes = list.Items
	err := c.pages(ctx, func(next string) (string, error) {
		nodes := &corev1.NodeList{}
		if err := c.reader.List(ctx, nodes, client.Limit(page), client.Continue(next)); err != nil {
			return "", fmt.Errorf("list nodes: %w", err)
		}
		in.Nodes = append(in.Nodes, nodes.Items...)
		return nodes.Continue, nil
	})
	if err != nil {
		return in, err
	}
	if in.Releases, err = c.releases(ctx); err != nil {
		return in, err
	}
	in.Tenants, err = c.tenants(ctx)
	return in, err
}

// tenants lists the Tenants; a cluster that serves none has none.
func (c *Cluster) tenants(ctx context.Context) ([]classes.Tenant, error) {
	var found []classes.Tenant
	err := c.pages(ctx, func(next string) (string, error) {
		list := &tenantv1.TenantList{}
		err := c.reader.List(ctx, list, client.Limit(page), client.Continue(next))
		if meta.IsNoMatchError(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("list Tenants: %w", err)
		}
		for i := range list.Items {
			found = append(found, classes.Refer(&list.Items[i]))
		}
		return list.Continue, nil
	})
	return found, err
}

// releases lists the HelmReleases that name a class; a cluster that serves none
// has none.
func (c *Cluster) releases(ctx context.Context) ([]classes.Release, error) {
	var found []classes.Release
	err := c.pages(ctx, func(next string) (string, error) {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: lineage.HelmRelease.Group, Version: "v2", Kind: "HelmReleaseList"})
		err := c.reader.List(ctx, list, client.Limit(page), client.Continue(next), client.HasLabels{policy.ClassLabel})
		if meta.IsNoMatchError(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("list HelmReleases: %w", err)
		}
		for _, item := range list.Items {
			class, _ := policy.ClassName(item.Labels)
			found = append(found, classes.Release{Name: item.Namespace + "/" + item.Name, Class: class})
		}
		return list.Continue, nil
	})
	return found, err
}

// pages reads page after page until there is none left.
func (c *Cluster) pages(ctx context.Context, read func(next string) (string, error)) error {
	for next, first := "", true; first || next != ""; first = false {
		var err error
		if next, err = read(next); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
