package placement_test

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// feed keeps a snapshot by what the API server says of nodes, Pods and
// namespaces.
type feed struct {
	mu       sync.Mutex
	snapshot *placement.Snapshot
	placed   map[types.NamespacedName]string // where the snapshot has each Pod
}

func startFeed(t *testing.T) *feed {
	t.Helper()
	config, err := cp.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	watched, err := cache.New(config, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- watched.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("watch the API server: %v", err)
		}
	})
	f := &feed{snapshot: placement.NewSnapshot(), placed: map[types.NamespacedName]string{}}
	for _, kind := range []client.Object{&corev1.Node{}, &corev1.Namespace{}, &corev1.Pod{}} {
		f.follow(ctx, t, watched, kind)
	}
	return f
}

func (f *feed) follow(ctx context.Context, t *testing.T, watched cache.Cache, kind client.Object) {
	t.Helper()
	informer, err := watched.GetInformer(ctx, kind)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: f.set, UpdateFunc: func(_, object any) { f.set(object) }, DeleteFunc: f.remove,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !toolscache.WaitForCacheSync(ctx.Done(), handle.HasSynced) {
		t.Fatalf("%T were not listed", kind)
	}
}

func (f *feed) set(object any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch o := object.(type) {
	case *corev1.Node:
		f.snapshot.SetNode(o)
	case *corev1.Namespace:
		f.snapshot.SetNamespace(o)
	case *corev1.Pod:
		f.snapshot.SetPod(o)
		f.placed[client.ObjectKeyFromObject(o)] = o.Spec.NodeName
	}
}

func (f *feed) remove(object any) {
	if gone, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if pod, ok := object.(*corev1.Pod); ok {
		key := client.ObjectKeyFromObject(pod)
		f.snapshot.RemovePod(key)
		delete(f.placed, key)
	}
}

// node is where the snapshot has a Pod, and whether it knows it at all.
func (f *feed) node(key types.NamespacedName) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	node, known := f.placed[key]
	return node, known
}

func (f *feed) preview(t *testing.T, pod *corev1.Pod) *placement.Preview {
	t.Helper()
	request, err := placement.FromPod(pod)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.snapshot.Preview(request, placement.Options{})
}
