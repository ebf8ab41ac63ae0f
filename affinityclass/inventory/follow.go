package inventory

import (
	"context"
	"hash/maphash"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

func (i *Inventory) followNodes(watcher client.WithWatch) source {
	return begin(i, &feed[*corev1.Node]{
		example: &corev1.Node{}, cut: cutNode, counts: always[*corev1.Node],
		set:    i.snapshot.SetNode,
		remove: func(key types.NamespacedName) { i.snapshot.RemoveNode(key.Name) },
	}, watched{watcher, &corev1.NodeList{}, fields.Everything()})
}

func (i *Inventory) followPods(watcher client.WithWatch, extent Extent) source {
	f := &feed[*corev1.Pod]{
		example: &corev1.Pod{}, cut: cutPod, counts: placed,
		set: i.snapshot.SetPod, remove: i.snapshot.RemovePod,
	}
	if extent == TagsOnly {
		f.cut, f.counts = cutToTags, bears
	}
	return begin(i, f, watched{watcher, &corev1.PodList{}, placedPods()})
}

func (i *Inventory) followNamespaces(watcher client.WithWatch) source {
	return begin(i, &feed[*corev1.Namespace]{
		example: &corev1.Namespace{}, cut: cutNamespace, counts: always[*corev1.Namespace],
		set:    i.snapshot.SetNamespace,
		remove: func(key types.NamespacedName) { i.snapshot.RemoveNamespace(key.Name) },
	}, watched{watcher, &corev1.NamespaceList{}, fields.Everything()})
}

func begin[T followed](i *Inventory, f *feed[T], of watched) source {
	f.writing, f.known = &i.mu, map[types.NamespacedName]memory{}
	f.seed = maphash.MakeSeed()
	f.from = &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return f.list(ctx, of, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := of.watch(ctx, options)
			if err == nil {
				f.hear()
			}
			return w, err
		},
	}
	return f
}

// list reads a page and cuts it at once: where the API server does not stream its
// lists, the reflector holds all pages together.
func (f *feed[T]) list(ctx context.Context, of watched, options metav1.ListOptions) (runtime.Object, error) {
	list, err := of.list(ctx, options)
	if err != nil {
		return nil, err
	}
	return list, meta.EachListItem(list, func(object runtime.Object) error {
		if typed, ok := object.(T); ok {
			f.cut(typed)
		}
		return nil
	})
}

// watched is what of a kind is asked for.
type watched struct {
	client client.WithWatch
	kind   client.ObjectList
	fields fields.Selector
}

func (w watched) list(ctx context.Context, options metav1.ListOptions) (client.ObjectList, error) {
	list := w.kind.DeepCopyObject().(client.ObjectList)
	return list, w.client.List(ctx, list, w.options(options))
}

func (w watched) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return w.client.Watch(ctx, w.kind.DeepCopyObject().(client.ObjectList), w.options(options))
}

func (w watched) options(options metav1.ListOptions) *client.ListOptions {
	return &client.ListOptions{Raw: &options, FieldSelector: w.fields, Limit: options.Limit, Continue: options.Continue}
}

// placedPods selects the Pods that can be neighbours. One that finishes leaves the
// selection, and the API server says that it was deleted.
func placedPods() fields.Selector {
	return fields.AndSelectors(
		fields.OneTermNotEqualSelector("spec.nodeName", ""),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
	)
}

func always[T client.Object](T) bool { return true }

// placed says the same of a Pod at hand: a watch may be behind its selection.
func placed(pod *corev1.Pod) bool {
	finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return pod.Spec.NodeName != "" && !finished
}

func bears(pod *corev1.Pod) bool {
	return placed(pod) && len(binaryaffinity.TagsOf(pod.Labels)) > 0
}
