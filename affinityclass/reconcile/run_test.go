package reconcile

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func TestAReplicaElectedAgainRunsAgain(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		config := Config{
			Cache:  &informertest.FakeInformers{Scheme: scheme},
			Policy: func() *policy.Snapshot { return policy.New() },
			Usage:  NewUsage(), Log: logr.Discard(),
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := Run(ctx, config); err != nil {
			t.Errorf("until it is no longer elected: %v", err)
		}
	}
}
