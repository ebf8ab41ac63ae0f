package live

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/drain"
)

// Drain reads what the audit of a drain reads: what bears on a placement,
// PodDisruptionBudgets and AffinityClasses. As with Snapshot, what the user may
// not read is an error.
func (c *Cluster) Drain(ctx context.Context, w *drain.World) error {
	for _, list := range []client.ObjectList{
		&corev1.NodeList{}, &corev1.NamespaceList{}, &corev1.PodList{}, &corev1.ResourceQuotaList{},
		&schedulingv1.PriorityClassList{}, &resourcev1.ResourceClaimList{}, &resourcev1.ResourceSliceList{},
		&policyv1.PodDisruptionBudgetList{}, &v1alpha1.AffinityClassList{},
	} {
		err := c.each(ctx, list, func(o runtime.Object) error {
			w.Take(o)
			return record(w.Snapshot, o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
