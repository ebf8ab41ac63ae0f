package reconcile

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// informers makes the fake safe for the two controllers that ask it at once.
type informers struct {
	*informertest.FakeInformers
	mu sync.Mutex
}

func (i *informers) GetInformer(ctx context.Context, object client.Object, options ...cache.InformerGetOption) (cache.Informer, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.FakeInformers.GetInformer(ctx, object, options...)
}

func TestAReplicaElectedAgainRunsAgain(t *testing.T) {
	for range 2 {
		config := Config{
			Cache:  &informers{FakeInformers: &informertest.FakeInformers{Scheme: newScheme(t)}},
			Policy: func() *policy.Snapshot { return policy.New() },
			Usage:  NewUsage(), Children: NewChildren(family{}), Log: logr.Discard(),
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := Run(ctx, config); err != nil {
			t.Errorf("until it is no longer elected: %v", err)
		}
	}
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}
