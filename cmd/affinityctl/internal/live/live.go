// Package live reads a cluster with the user's own kubeconfig and rights, as
// kubectl does. It never writes.
//
// What may not be read is an error that names the resource, never an empty list.
// A kind that the cluster does not serve has no objects, if it is one that a
// cluster may do without.
package live

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Cluster is a cluster that can be read.
type Cluster struct {
	reader    client.Reader
	mapper    meta.RESTMapper
	config    *rest.Config
	namespace string
}

// The rate of calls: a page is one, so these are seldom felt.
const (
	qps   = 100
	burst = 200
)

// Connect finds the cluster as kubectl does: the flag, $KUBECONFIG, the home
// directory, or the Pod's own account. It makes no call.
func Connect(kubeconfig, contextName string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	found := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: contextName})
	config, err := found.ClientConfig()
	if err != nil {
		return nil, unfound(found, contextName, err)
	}
	namespace, _, err := found.Namespace()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = qps, burst
	return connect(config, namespace)
}

// ErrNoContext says that the kubeconfig has no context of a name.
var ErrNoContext = errors.New("the kubeconfig has no such context")

// unfound says in the user's words why there is no cluster.
func unfound(in clientcmd.ClientConfig, contextName string, err error) error {
	raw, unread := in.RawConfig()
	switch {
	case unread != nil:
		return err
	case len(raw.Contexts)+len(raw.Clusters) == 0:
		return errors.New("no kubeconfig: use --kubeconfig, or set KUBECONFIG")
	case contextName != "" && raw.Contexts[contextName] == nil:
		return fmt.Errorf("%w: %s", ErrNoContext, contextName)
	default:
		return err
	}
}

func connect(config *rest.Config, namespace string) (*Cluster, error) {
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
	return &Cluster{reader: reader, mapper: reader.RESTMapper(), config: config, namespace: namespace}, nil
}

// Namespace is the context's, "default" where it has none.
func (c *Cluster) Namespace() string { return c.namespace }

const page = 500 // objects asked for at once

// kind is what is listed, and how people call it.
type kind struct {
	name  string // of the resource, as messages and kubectl have it
	empty client.ObjectList
	// optional says that a cluster may do without the kind.
	optional bool
	options  []client.ListOption
}

// each reads a kind page by page and visits its objects. Every page is decoded
// into a copy of the empty list: what a page leaves out must not be taken from
// the one before.
func (c *Cluster) each(ctx context.Context, k kind, visit func(runtime.Object) error) error {
	for next, first := "", true; first || next != ""; first = false {
		list, ok := k.empty.DeepCopyObject().(client.ObjectList)
		if !ok {
			return fmt.Errorf("list %s: %T is no list", k.name, k.empty)
		}
		err := c.reader.List(ctx, list, append(k.options, client.Limit(page), client.Continue(next))...)
		if k.optional && meta.IsNoMatchError(err) {
			return nil
		}
		if err != nil {
			return unlisted(k, err)
		}
		if err := meta.EachListItem(list, visit); err != nil {
			return err
		}
		next = list.GetContinue()
	}
	return nil
}

// unlisted says what could not be listed. A server without a kind that every
// cluster has is none.
func unlisted(k kind, err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("list %s: the server has no such resource; is it the API server of a cluster?", k.name)
	}
	return fmt.Errorf("list %s: %w", k.name, err)
}
