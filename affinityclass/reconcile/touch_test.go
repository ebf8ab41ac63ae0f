package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// cluster admits touches as the webhook does: a part gets the class of its parent.
type cluster struct {
	client.Client
	mu       sync.Mutex
	releases family
	told     *Children
	patches  []string
	err      error // of every patch
	deaf     bool  // to touches, as a replica that is behind
}

func (c *cluster) Release(namespace, name string) (*lineage.Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.releases.Release(namespace, name)
}

func (c *cluster) Children(namespace, name string) []*lineage.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.releases.Children(namespace, name)
}

func (c *cluster) Parents() []types.NamespacedName {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.releases.Parents()
}

func (c *cluster) Patch(_ context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, err := patch.Data(object)
	if err != nil {
		return err
	}
	kind := object.GetObjectKind().GroupVersionKind()
	c.patches = append(c.patches, string(patch.Type())+" "+kind.String()+" "+client.ObjectKeyFromObject(object).String()+" "+string(data))
	if c.err != nil || c.deaf {
		return c.err
	}
	c.admit(client.ObjectKeyFromObject(object))
	return nil
}

func (c *cluster) admit(name types.NamespacedName) {
	before := c.releases[name]
	parent, _ := lineage.FluxRelease(before)
	c.set(before, c.releases[parent].Labels[policy.ClassLabel])
}

// set gives a release a class and tells of it.
func (c *cluster) set(before *lineage.Object, class string) {
	after := *before
	after.Labels = maps.Clone(before.Labels)
	after.Labels[policy.ClassLabel] = class
	c.releases[types.NamespacedName{Namespace: after.Namespace, Name: after.Name}] = &after
	if c.told != nil {
		c.told.Changed(before, &after)
	}
}

// classes are those of all releases, by their names.
func (c *cluster) classes() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]string{}
	for name, object := range c.releases {
		found[name.Name] = object.Labels[policy.ClassLabel]
	}
	return found
}

func newCluster(drawn ...string) (*cluster, *toucher) {
	c := &cluster{releases: newFamily(drawn...)}
	c.told = NewChildren(c)
	t := c.told.toucher(c)
	t.now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)) }
	return c, t
}

var web = request(types.NamespacedName{Namespace: "shop", Name: "web"})

func TestATouchIsOneAnnotation(t *testing.T) {
	c, toucher := newCluster("shop/web dc2", "shop/web-db dc1 <web", "shop/web-cache dc2 <web")
	if _, err := toucher.Reconcile(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	want := []string{`application/merge-patch+json helm.toolkit.fluxcd.io/v2, Kind=HelmRelease shop/web-db ` +
		`{"metadata":{"annotations":{"affinity.cozystack.io/resolve":"2026-01-02T02:04:05.000000006Z"}}}`}
	if diff := cmp.Diff(want, c.patches); diff != "" {
		t.Errorf("patches (-want +got):\n%s", diff)
	}
}

func TestAPartThatStillStraysIsTouchedAgainLaterAndLater(t *testing.T) {
	c, toucher := newCluster("shop/web dc2", "shop/web-db dc1 <web")
	c.deaf = true
	var pauses []time.Duration
	for range 11 {
		result, err := toucher.Reconcile(t.Context(), web)
		if err != nil {
			t.Fatal(err)
		}
		pauses = append(pauses, result.RequeueAfter/time.Second)
	}
	if diff := cmp.Diff([]time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600}, pauses); diff != "" {
		t.Errorf("seconds until the next touch (-want +got):\n%s", diff)
	}
	c.deaf = false
	for _, want := range []time.Duration{600, 0} {
		if result, err := toucher.Reconcile(t.Context(), web); err != nil || result.RequeueAfter != want*time.Second {
			t.Errorf("the next look is in %s, want %d s (%v)", result.RequeueAfter, want, err)
		}
	}
	if touches := len(c.patches); touches != 12 {
		t.Errorf("%d touches, want 12", touches)
	}
	c.set(release("shop/web"), "dc1")
	if result, err := toucher.Reconcile(t.Context(), web); err != nil || result.RequeueAfter != time.Second {
		t.Errorf("the pauses do not begin anew: %s, %v", result.RequeueAfter, err)
	}
}

func TestAPartThatCannotBeTouchedHoldsUpNoOther(t *testing.T) {
	c, toucher := newCluster("shop/web dc2", "shop/web-db dc1 <web", "shop/web-cache dc1 <web")
	c.err = errors.New("refused")
	if _, err := toucher.Reconcile(t.Context(), web); !errors.Is(err, c.err) {
		t.Errorf("the error is %v", err)
	}
	if len(c.patches) != 2 {
		t.Errorf("%d touches, want 2", len(c.patches))
	}
}

func TestTouchesAreLimited(t *testing.T) {
	c, toucher := newCluster("shop/web dc2")
	for i := range 100 {
		child := release(fmt.Sprintf("shop/web-%d dc1 <web", i))
		c.releases[types.NamespacedName{Namespace: child.Namespace, Name: child.Name}] = child
	}
	ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
	defer cancel()
	if _, err := toucher.Reconcile(ctx, web); err != nil {
		t.Errorf("the end is no error: %v", err)
	}
	if touches := len(c.patches); touches < touchesAtOnce || touches > touchesAtOnce+4 {
		t.Errorf("%d touches in a quarter of a second", touches)
	}
}

// The elected replica brings a whole tree to the class of its root: first what it
// finds, then what changes.
func TestAClassReachesWhatIsBelow(t *testing.T) {
	c, _ := newCluster("shop/web dc1 app", "shop/a <web", "shop/b <a", "shop/c <b", "shop/db dc9 app <web")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Config{
			Cache: &informers{FakeInformers: &informertest.FakeInformers{Scheme: newScheme(t)}}, Client: c,
			Policy: func() *policy.Snapshot { return policy.New() }, Usage: NewUsage(), Children: c.told, Log: logr.Discard(),
		})
	}()
	becomes(t, c, map[string]string{"web": "dc1", "a": "dc1", "b": "dc1", "c": "dc1", "db": "dc9"})
	c.mu.Lock()
	c.set(c.releases[web.NamespacedName], "dc2")
	c.mu.Unlock()
	becomes(t, c, map[string]string{"web": "dc2", "a": "dc2", "b": "dc2", "c": "dc2", "db": "dc9"})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func becomes(t *testing.T, c *cluster, want map[string]string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		diff := cmp.Diff(want, c.classes())
		if diff == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("classes after 20 s (-want +got):\n%s", diff)
		}
	}
}
