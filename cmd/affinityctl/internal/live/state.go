package live

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// State reads what is placed where, for a Pod that is yet to be. It remembers
// nothing.
type State struct{ Cluster *Cluster }

// Read says that nothing is remembered.
func (State) Read(func(*placement.Snapshot)) bool { return false }

// Live lists the nodes, and the Pods of the namespace, whichever tags they bear.
func (s State) Live(ctx context.Context, namespace string, _ []string) (*placement.Snapshot, error) {
	now := placement.NewSnapshot()
	pods := kind{name: "pods", empty: &corev1.PodList{}, options: []client.ListOption{client.InNamespace(namespace)}}
	for _, k := range []kind{nodes(), pods} {
		if err := s.Cluster.each(ctx, k, func(o runtime.Object) error { return record(now, o) }); err != nil {
			return nil, err
		}
	}
	return now, nil
}
