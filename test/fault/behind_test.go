package fault_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
)

// A server that has not heard of a class, or of a release, must not deny what
// keeps it. The watch is behind for good here, since its connection is held up.
func TestAClassAndAReleaseCreatedWhileTheWatchIsBehind(t *testing.T) {
	f := newFront(t)
	s := replica(t, "behind", f.options(t))
	s.survives(t)
	space := governed(t, "behind")
	f.watches.shut()

	fresh := class("dc-new")
	put(t, fresh)
	t.Cleanup(func() { _ = world.Client.Delete(t.Context(), fresh) })
	a := app{namespace: space, name: "new", class: fresh.Name}
	put(t, a.release())
	a = a.under(t, "new")
	l := begin(t, asking(s.URL, a))
	l.works(t)

	l.stop()

	// A class that is gone, and that the server still knows, denies nothing by
	// itself: what is denied is denied on the class as it is.
	a.forsake(t, fresh)
	stale := begin(t, asking(s.URL, a))
	stale.more(t, 3, bad, refused(http.StatusConflict))
	stale.stop()
	f.watches.open()
	absent := begin(t, asking(s.URL, a))
	absent.more(t, 3, good, refused(http.StatusConflict))
	absent.stop()
}

// forsake removes a class that the application names: a class in use cannot be
// deleted, so the application looks elsewhere for a moment.
func (a app) forsake(t *testing.T, class client.Object) {
	t.Helper()
	name := func(class string) {
		patch := []byte(`{"metadata":{"labels":{"` + policy.ClassLabel + `":` + class + `}}}`)
		do(t, func() error {
			return world.Client.Patch(t.Context(), a.release(), client.RawPatch(types.MergePatchType, patch))
		})
	}
	name("null")
	do(t, func() error { return world.Client.Delete(t.Context(), class) })
	eventually(t, func() error {
		err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(class), class)
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("class %s is still there: %v", class.GetName(), err)
		}
		return nil
	})
	name(`"` + class.GetName() + `"`)
}

// Between two hops of one walk the release goes: the Pod is judged by what is
// there, and whatever the moment, it never passes for one that breaks its class.
func TestAReleaseDeletedBetweenHops(t *testing.T) {
	f := newFront(t)
	s := replica(t, "between", f.options(t))
	s.survives(t)
	space := governed(t, "between")
	a := newApp(t, space, "doomed")
	s.remembers(t, a)
	f.watches.shut()
	var deleted atomic.Int32
	f.do(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/helmreleases/doomed") && deleted.Add(1) == 1 {
			if err := world.Client.Delete(t.Context(), a.release()); err != nil {
				t.Error(err)
			}
		}
		return false
	})

	// The walk from memory finds the class broken; the walk that is to prove it
	// reads the owner, and the release is gone when its turn comes. Then no class
	// governs the Pod, as none would a moment later.
	got := judged(t, s.URL, a.pod(bad))
	if deleted.Load() == 0 {
		t.Fatal("the release was not read live before a denial")
	}
	if !got.Allowed || got.AuditAnnotations["reason"] != "NoRelease" {
		t.Errorf("answered %s, wanted no release", got.body)
	}
	f.do(nil)
	f.watches.open()

	// Under a reference that names its uid, a release that goes breaks the chain.
	b := app{namespace: space, name: "referred", class: "dc1"}
	release := b.release()
	put(t, release)
	b.owner = owner("helm.toolkit.fluxcd.io/v2", "HelmRelease", b.name, release.GetUID())
	s.remembers(t, b)
	do(t, func() error { return replace(t, release) })
	for _, q := range []quality{good, bad} {
		eventually(t, func() error {
			return wanted(judged(t, s.URL, b.pod(q)), http.StatusConflict, "an owner reference leads to no such object")
		})
	}
}

// replace deletes a release and creates another of its name.
func replace(t *testing.T, release *unstructured.Unstructured) error {
	t.Helper()
	if err := world.Client.Delete(t.Context(), release); err != nil {
		return err
	}
	release.SetUID("")
	release.SetResourceVersion("")
	return world.Client.Create(t.Context(), release, &client.CreateOptions{})
}
