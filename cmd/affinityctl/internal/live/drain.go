package live

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/drain"
)

// Drain reads what the audit of a drain reads: what bears on a placement,
// PodDisruptionBudgets and AffinityClasses. As with Snapshot, what the user may
// not read is an error.
func (c *Cluster) Drain(ctx context.Context, w *drain.World) error {
	kinds := append(placing(), kind{name: "poddisruptionbudgets", empty: &policyv1.PodDisruptionBudgetList{}},
		kind{name: "AffinityClasses", empty: &v1alpha1.AffinityClassList{}, optional: true})
	for _, k := range kinds {
		err := c.each(ctx, k, func(o runtime.Object) error {
			w.Take(o)
			return record(w.Snapshot, o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
