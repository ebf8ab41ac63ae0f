package inventory

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourcePods: resource.MustParse("110")}
	return n
}

// pod is shop/NAME on a node, with tags.
func pod(name, on string, tags ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": "web"},
	}}
	for _, tag := range tags {
		p.Labels[binaryaffinity.TagPrefix+tag] = ""
	}
	p.Spec.NodeName = on
	p.Spec.Containers = []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "LONG", Value: "winded"}}}}
	return p
}

func again(p *corev1.Pod, uid types.UID) *corev1.Pod {
	p.UID = uid
	return p
}

func in(phase corev1.PodPhase, p *corev1.Pod) *corev1.Pod {
	p.Status.Phase = phase
	return p
}

// fixture is an Inventory fed by hand.
type fixture struct {
	*Inventory
	nodes *feed[*corev1.Node]
	pods  *feed[*corev1.Pod]
}

func feedByHand(extent Extent) fixture {
	i := New(nil, nil, extent, logr.Discard())
	return fixture{i, i.feeds[0].(*feed[*corev1.Node]), i.feeds[1].(*feed[*corev1.Pod])}
}

// loads is how many Pods are placed on each node that exists, as a preview shows it.
func (f fixture) loads(t *testing.T) string {
	t.Helper()
	request, err := placement.FromPod(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", GenerateName: "new-"}})
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]int64{}
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, candidate := range f.snapshot.Preview(request, placement.Options{}).Candidates {
		on[candidate.Node] = -candidate.Terms[0].Value
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(on)) {
		text += fmt.Sprintf("%s:%d ", name, on[name])
	}
	return text
}

func anyOf[T any](objects ...T) []any {
	all := make([]any, len(objects))
	for i, object := range objects {
		all[i] = object
	}
	return all
}
