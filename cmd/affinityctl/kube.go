package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
)

// kubeFlags choose a cluster and a namespace, as kubectl's flags of these names do.
type kubeFlags struct{ kubeconfig, context, namespace string }

func (k *kubeFlags) bind(f *pflag.FlagSet) {
	f.StringVar(&k.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&k.context, "context", "", "context of the kubeconfig")
}

// connect finds the cluster; a namespace that was not given becomes the context's.
func (k *kubeFlags) connect() (*live.Cluster, error) {
	cluster, err := connect(k.kubeconfig, k.context)
	if err != nil {
		return nil, err
	}
	if k.namespace == "" {
		k.namespace = cluster.Namespace()
	}
	return cluster, nil
}

// connect finds the cluster; a context that there is not is a slip of the pen.
func connect(kubeconfig, context string) (*live.Cluster, error) {
	cluster, err := live.Connect(kubeconfig, context)
	switch {
	case errors.Is(err, live.ErrNoContext):
		return nil, badQuestion(err)
	case err != nil:
		return nil, unread(err)
	}
	return cluster, nil
}

// inNamespace refuses a namespace that there is not; "" is all of them.
func inNamespace(ctx context.Context, cluster *live.Cluster, namespace string) error {
	if namespace == "" {
		return nil
	}
	err := cluster.HasNamespace(ctx, namespace)
	switch {
	case errors.Is(err, live.ErrNoNamespace):
		return badQuestion(err)
	case err != nil:
		return unread(err)
	}
	return nil
}

// unread ends the program because the cluster could not be read.
func unread(err error) error { return exit{code: exitCluster, err: err} }
