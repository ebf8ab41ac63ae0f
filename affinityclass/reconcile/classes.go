package reconcile

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// InUse is the finalizer that holds a class while a release or a tenant refers to
// it. It survives races with the webhook's courtesy, and the deletion of the CRD.
const InUse = "affinity.cozystack.io/in-use"

// The reasons of the condition Ready of a class.
const (
	NodesMatch   = "NodesMatch"
	NoNodes      = "NoNodes"
	ClassInvalid = "ClassInvalid"
)

// Referrers tells who uses a class, releases and tenants, read live.
type Referrers interface {
	Referrers(ctx context.Context, class string, limit int) (names []string, total int, err error)
}

// classes reconciles one AffinityClass at a time.
type classes struct {
	cached   client.Reader
	writer   client.Client
	usage    *Usage
	live     Referrers
	recorder record.EventRecorder
}

// again is when a class is looked at even though nothing was told of it: a change
// may have been dropped, or a count been behind.
const again = 5 * time.Minute

// Reconcile brings finalizer and status of a class up to what there is.
func (c *classes) Reconcile(ctx context.Context, req ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	class := &v1alpha1.AffinityClass{}
	if err := c.cached.Get(ctx, req.NamespacedName, class); err != nil {
		return ctrlreconcile.Result{}, client.IgnoreNotFound(err)
	}
	class = class.DeepCopy()
	releases, tenants := c.usage.Of(class.Name)
	if err := c.finalize(ctx, class, releases+tenants); err != nil {
		return ctrlreconcile.Result{}, client.IgnoreNotFound(err)
	}
	status := class.Status.DeepCopy()
	status.Releases, status.Tenants = releases, tenants
	return ctrlreconcile.Result{RequeueAfter: again}, client.IgnoreNotFound(c.observe(ctx, class, status))
}

// finalize holds a class that is in use, and lets one go that, read live, is not:
// the count may be behind, and a class let go is gone.
func (c *classes) finalize(ctx context.Context, class *v1alpha1.AffinityClass, referrers int32) error {
	before := client.MergeFromWithOptions(class.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if referrers > 0 {
		if class.DeletionTimestamp != nil || !controllerutil.AddFinalizer(class, InUse) {
			return nil
		}
		return c.patch(ctx, class, before)
	}
	if !controllerutil.ContainsFinalizer(class, InUse) {
		return nil
	}
	if _, total, err := c.live.Referrers(ctx, class.Name, 1); err != nil || total > 0 {
		return err
	}
	controllerutil.RemoveFinalizer(class, InUse)
	return c.patch(ctx, class, before)
}

func (c *classes) patch(ctx context.Context, class *v1alpha1.AffinityClass, before client.Patch) error {
	if err := c.writer.Patch(ctx, class, before); err != nil {
		return fmt.Errorf("patch the finalizers of AffinityClass %s: %w", class.Name, err)
	}
	return nil
}

// observe writes the status of a class, to which it adds its nodes, if it differs.
func (c *classes) observe(ctx context.Context, class *v1alpha1.AffinityClass, status *v1alpha1.AffinityClassStatus) error {
	before := class.DeepCopy()
	nodes, condition, err := c.count(ctx, class)
	if err != nil {
		return err
	}
	class.Status, class.Status.Nodes = *status, nodes
	turned := meta.SetStatusCondition(&class.Status.Conditions, condition)
	if equality.Semantic.DeepEqual(before.Status, class.Status) {
		return nil
	}
	if err := c.writer.Status().Patch(ctx, class, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("patch the status of AffinityClass %s: %w", class.Name, err)
	}
	if turned {
		c.event(class, condition)
	}
	return nil
}

func (c *classes) event(class *v1alpha1.AffinityClass, condition metav1.Condition) {
	kind := corev1.EventTypeNormal
	if condition.Status != metav1.ConditionTrue {
		kind = corev1.EventTypeWarning
	}
	c.recorder.Event(class, kind, condition.Reason, condition.Message)
}

// count looks at every node. A node that may take Pods is Ready and not cordoned.
func (c *classes) count(ctx context.Context, class *v1alpha1.AffinityClass) (v1alpha1.NodeCounts, metav1.Condition, error) {
	condition := metav1.Condition{Type: v1alpha1.ClassReady, ObservedGeneration: class.Generation}
	compiled, err := affinityclass.Compile(class)
	if err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, ClassInvalid, err.Error()
		return v1alpha1.NodeCounts{}, condition, nil
	}
	var all corev1.NodeList
	if err := c.cached.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return v1alpha1.NodeCounts{}, condition, fmt.Errorf("list nodes: %w", err)
	}
	var counts v1alpha1.NodeCounts
	for i := range all.Items {
		if node := &all.Items[i]; compiled.Has(node) {
			counts.Matching++
			if takesPods(node) {
				counts.Ready++
			}
		}
	}
	condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, NodesMatch, "nodes belong to the class"
	if counts.Matching == 0 {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, NoNodes, "no node belongs to the class"
	}
	return counts, condition, nil
}

func takesPods(node *corev1.Node) bool {
	if node.Spec.Unschedulable {
		return false
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
