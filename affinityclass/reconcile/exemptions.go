package reconcile

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// The reasons of the condition Active of an exemption.
const (
	InForce = "InForce"
	Expired = "Expired"
)

// exemptions reconciles one AffinityExemption at a time.
type exemptions struct {
	cached client.Reader
	writer client.Client
	now    func() time.Time
}

// Reconcile says whether the exemption is in force, and comes back when it ends.
func (e *exemptions) Reconcile(ctx context.Context, req ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	exemption := &v1alpha1.AffinityExemption{}
	if err := e.cached.Get(ctx, req.NamespacedName, exemption); err != nil {
		return ctrlreconcile.Result{}, client.IgnoreNotFound(err)
	}
	exemption = exemption.DeepCopy()
	before := exemption.DeepCopy()
	condition, left := e.condition(exemption)
	if meta.SetStatusCondition(&exemption.Status.Conditions, condition) {
		if err := e.writer.Status().Patch(ctx, exemption, client.MergeFrom(before)); err != nil {
			return ctrlreconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("patch the status of AffinityExemption %s: %w", exemption.Name, err))
		}
	}
	return ctrlreconcile.Result{RequeueAfter: left}, nil
}

// condition and the time until it changes; 0 for never.
func (e *exemptions) condition(exemption *v1alpha1.AffinityExemption) (metav1.Condition, time.Duration) {
	c := metav1.Condition{Type: v1alpha1.ExemptionActive, Status: metav1.ConditionTrue, Reason: InForce,
		Message: "Pods that fit it pass", ObservedGeneration: exemption.Generation}
	if exemption.Spec.Expires == nil {
		return c, 0
	}
	left := exemption.Spec.Expires.Sub(e.now())
	if left > 0 {
		return c, left
	}
	c.Status, c.Reason, c.Message = metav1.ConditionFalse, Expired, "it has expired and no longer counts"
	return c, 0
}
