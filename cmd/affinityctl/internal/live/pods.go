package live

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Pod is what is judged of a Pod, and where it is.
type Pod struct {
	review.Pod
	Namespace, Node string
}

// podPage is a page of Pods; nothing is decoded that is not judged.
type podPage struct {
	Metadata struct {
		Continue  string `json:"continue"`
		Remaining int    `json:"remainingItemCount"`
	} `json:"metadata"`
	Items []struct {
		Metadata struct {
			review.Metadata
			Namespace string `json:"namespace"`
		} `json:"metadata"`
		Spec struct {
			review.Spec
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	} `json:"items"`
}

// unfinished picks the Pods that take up room.
const unfinished = "status.phase!=Succeeded,status.phase!=Failed"

// Pods visits those of a namespace that have not finished, or of all namespaces when it
// is empty, page by page; the page after is read when visit has returned, and none
// is kept. left is how many are still to come, as far as the API server tells.
func (c *Cluster) Pods(ctx context.Context, namespace string, visit func(page []Pod, left int) error) error {
	core, err := c.core()
	if err != nil {
		return err
	}
	for next, first := "", true; first || next != ""; first = false {
		text, err := core.Get().NamespaceIfScoped(namespace, namespace != "").Resource("pods").
			Param("limit", strconv.Itoa(page)).Param("continue", next).Param("fieldSelector", unfinished).
			SetHeader("Accept", "application/json").Do(ctx).Raw()
		if err != nil {
			return fmt.Errorf("list pods: %w", err)
		}
		var read podPage
		if err := json.Unmarshal(text, &read); err != nil {
			return fmt.Errorf("list pods: %w", err)
		}
		if err := visit(read.pods(), read.Metadata.Remaining); err != nil {
			return err
		}
		next = read.Metadata.Continue
	}
	return nil
}

func (p *podPage) pods() []Pod {
	pods := make([]Pod, len(p.Items))
	for i := range p.Items {
		item := &p.Items[i]
		pods[i] = Pod{Pod: review.Pod{Metadata: item.Metadata.Metadata, Spec: item.Spec.Spec}, Namespace: item.Metadata.Namespace, Node: item.Spec.NodeName}
	}
	return pods
}

func (c *Cluster) core() (*rest.RESTClient, error) {
	config := rest.CopyConfig(c.config)
	config.APIPath, config.GroupVersion = "/api", &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return rest.RESTClientFor(config)
}

// NodeLabels reads of each node what says to which classes it belongs.
func (c *Cluster) NodeLabels(ctx context.Context) (map[string]*corev1.Node, error) {
	found := map[string]*corev1.Node{}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	return found, c.each(ctx, kind{name: "nodes", empty: list}, func(o runtime.Object) error {
		if node, ok := o.(*metav1.PartialObjectMetadata); ok {
			found[node.Name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.Labels}}
		}
		return nil
	})
}

// Releases are HelmReleases that were listed at once, since Flux labels lead to few of
// them from many Pods. It is safe for concurrent use.
type Releases struct {
	mu    sync.RWMutex
	known map[types.NamespacedName]*lineage.Object
}

// Release gives one; false for one that was not listed, which is then read by itself.
func (r *Releases) Release(namespace, name string) (*lineage.Object, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, ok := r.known[types.NamespacedName{Namespace: namespace, Name: name}]
	return found, ok
}

// Releases lists those of a namespace, or of all when it is empty. Their values may be
// large, so a page has few and none is kept whole.
func (c *Cluster) Releases(ctx context.Context, namespace string) (*Releases, error) {
	r := &Releases{known: map[types.NamespacedName]*lineage.Object{}}
	served, err := c.mapper.RESTMapping(lineage.HelmRelease)
	if meta.IsNoMatchError(err) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list HelmReleases: %w", err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(served.GroupVersionKind.GroupVersion().WithKind("HelmReleaseList"))
	options := []client.ListOption{client.InNamespace(namespace)}
	return r, c.each(ctx, kind{name: "HelmReleases", empty: list, optional: true, options: options}, func(o runtime.Object) error {
		if release, ok := o.(*unstructured.Unstructured); ok {
			object := cluster.ReleaseObject(release)
			r.known[types.NamespacedName{Namespace: object.Namespace, Name: object.Name}] = object
		}
		return nil
	})
}
