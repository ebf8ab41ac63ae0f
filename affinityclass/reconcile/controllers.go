package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Config is what the controllers work with.
type Config struct {
	Cache    ctrlcache.Cache
	Client   client.Client // its reads are not used
	Policy   func() *policy.Snapshot
	Usage    *Usage
	Children *Children
	Live     Referrers
	Recorder record.EventRecorder
	Log      logr.Logger
}

// never is longer than any cluster takes to serve a kind: the controllers wait
// for it rather than give up.
const never = 365 * 24 * time.Hour

// settle is how long changes of nodes are gathered before classes are counted.
const settle = time.Second

// Run runs the controllers until ctx ends. It may be called again afterwards, by
// a replica that is elected again.
func Run(ctx context.Context, config Config) error {
	class, err := config.controller("affinityclass", &classes{
		cached: config.Cache, writer: config.Client, usage: config.Usage, live: config.Live, recorder: config.Recorder,
	})
	if err != nil {
		return err
	}
	exemption, err := config.controller("affinityexemption", &exemptions{cached: config.Cache, writer: config.Client, now: time.Now})
	if err != nil {
		return err
	}
	children, err := config.controller("release-children", config.Children.toucher(config.Client))
	if err != nil {
		return err
	}
	for _, watch := range []struct {
		controller controller.Controller
		source     source.Source
	}{
		{class, source.Kind(config.Cache, &v1alpha1.AffinityClass{}, &handler.TypedEnqueueRequestForObject[*v1alpha1.AffinityClass]{})},
		{class, source.Kind(config.Cache, &corev1.Node{}, everyClass(config.Policy), nodeChanges())},
		{class, source.Channel(config.Usage.changed, &handler.TypedEnqueueRequestForObject[*v1alpha1.AffinityClass]{})},
		{exemption, source.Kind(config.Cache, &v1alpha1.AffinityExemption{}, &handler.TypedEnqueueRequestForObject[*v1alpha1.AffinityExemption]{})},
		{children, source.Func(config.Children.feed)},
	} {
		if err := watch.controller.Watch(watch.source); err != nil {
			return err
		}
	}
	return together(ctx, class.Start, exemption.Start, children.Start)
}

// controller makes one that runs a reconciler, at its own pace where it has one.
func (c *Config) controller(name string, r ctrlreconcile.Reconciler) (controller.Controller, error) {
	options := controller.Options{
		Reconciler: r, CacheSyncTimeout: never,
		SkipNameValidation: new(true), // a replica elected again makes them again
		LogConstructor:     func(*ctrlreconcile.Request) logr.Logger { return c.Log },
	}
	if _, touches := r.(*toucher); touches {
		options.RateLimiter = newPauses()
	}
	made, err := controller.NewUnmanaged(name, options)
	if err != nil {
		return nil, fmt.Errorf("make the controller %s: %w", name, err)
	}
	return made, nil
}

// together runs functions and returns when all have; the first to end ends the
// others, and its error is returned, or else theirs.
func together(ctx context.Context, runs ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(runs))
	for _, run := range runs {
		go func() { ended <- run(ctx) }()
	}
	var failed error
	for range runs {
		err := <-ended
		cancel()
		failed = cmp.Or(failed, err)
	}
	return failed
}

// everyClass asks for a count of all classes, a moment later: nodes often change
// many at a time.
func everyClass(current func() *policy.Snapshot) handler.TypedEventHandler[*corev1.Node, ctrlreconcile.Request] {
	all := func(queue workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]) {
		for _, name := range current().Names() {
			queue.AddAfter(ctrlreconcile.Request{NamespacedName: types.NamespacedName{Name: name}}, settle)
		}
	}
	return handler.TypedFuncs[*corev1.Node, ctrlreconcile.Request]{
		CreateFunc: func(_ context.Context, _ event.TypedCreateEvent[*corev1.Node], q workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]) {
			all(q)
		},
		UpdateFunc: func(_ context.Context, _ event.TypedUpdateEvent[*corev1.Node], q workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]) {
			all(q)
		},
		DeleteFunc: func(_ context.Context, _ event.TypedDeleteEvent[*corev1.Node], q workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]) {
			all(q)
		},
	}
}

// nodeChanges lets only those updates by that move a node in or out of a count.
func nodeChanges() predicate.TypedPredicate[*corev1.Node] {
	return predicate.TypedFuncs[*corev1.Node]{UpdateFunc: func(e event.TypedUpdateEvent[*corev1.Node]) bool {
		return !maps.Equal(e.ObjectOld.Labels, e.ObjectNew.Labels) || takesPods(e.ObjectOld) != takesPods(e.ObjectNew)
	}}
}

// TrimNode is the transform of a cache of nodes: it keeps what is counted.
func TrimNode(object any) (any, error) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return object, nil
	}
	node.ManagedFields, node.Annotations = nil, nil
	node.Spec = corev1.NodeSpec{Unschedulable: node.Spec.Unschedulable}
	node.Status = corev1.NodeStatus{Conditions: node.Status.Conditions}
	return node, nil
}
