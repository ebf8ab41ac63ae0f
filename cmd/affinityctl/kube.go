package main

import (
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
	cluster, err := live.Connect(k.kubeconfig, k.context)
	if err != nil {
		return nil, unread(err)
	}
	if k.namespace == "" {
		k.namespace = cluster.Namespace()
	}
	return cluster, nil
}

// unread ends the program because the cluster could not be read.
func unread(err error) error { return exit{code: exitCluster, err: err} }
