package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

// The definitions go while the server runs, and come back; and a server that
// starts without them waits for them, alive, and goes on by itself.
func TestWithoutTheDefinitionsTheServerLivesAndGoesOnWhenTheyAreThere(t *testing.T) {
	running := replica(t, "running", platform.Options{})
	running.survives(t)
	space := governed(t, "definitions")
	a := newApp(t, space, "app")
	for _, q := range []quality{good, bad} {
		eventually(t, func() error { return verdictOf(t, running, a, q, 0, 403) })
	}

	undefine(t, classes)
	t.Cleanup(func() { define(t, classes); define(t, helmReleases) })
	gone := begin(t, asking(running.URL, a))
	gone.more(t, 5, good, refused(http.StatusServiceUnavailable))
	gone.more(t, 5, bad, refused(http.StatusServiceUnavailable))
	gone.stop()
	if n := gone.of(bad, admitted); n > 0 {
		t.Errorf("%d Pods of a governed release were let in without classes", n)
	}

	waiting, process := another(t, "waiting", platform.Options{})
	process.Ready = controlplane.HTTPReady(waiting.Probes+"/healthz", cp.CA())
	do(t, func() error { return cp.Run(t.Context(), process) })
	waiting.survives(t)
	waiting.says(t, 0, "waiting for a kind to be served")
	waiting.isReady(t, http.StatusInternalServerError, "[-]classes failed", "[+]releases ok")
	for _, q := range []quality{good, bad} {
		if got := judged(t, waiting.URL, a.pod(q)); got.Allowed {
			t.Errorf("a server that is not ready let a %s Pod in", q)
		}
	}

	define(t, classes)
	put(t, class("dc1"), class("dc2"))
	waiting.isReady(t, http.StatusOK, "[+]classes ok")
	for _, s := range []server{running, waiting, first()} {
		back := begin(t, asking(s.URL, a))
		back.works(t)
		back.stop()
		// A class that is not there yet is a conflict.
		back.holds(t, refused(http.StatusConflict), refused(http.StatusServiceUnavailable))
	}
}

// A cluster where Flux is not installed yet: nothing is governed, nothing held up.
func TestWithoutReleasesNothingIsGovernedUntilTheyAreDefined(t *testing.T) {
	undefine(t, helmReleases)
	t.Cleanup(func() { define(t, helmReleases) })
	early := replica(t, "early", platform.Options{})
	early.survives(t)
	early.isReady(t, http.StatusOK, "[+]releases ok")
	space := governed(t, "no-flux")
	a := app{namespace: space, name: "app", class: "dc1"}
	a = a.under(t, "app")
	for _, q := range []quality{good, bad} {
		eventually(t, func() error { return wanted(judged(t, early.URL, a.pod(q)), 0, "NoRelease") })
	}

	define(t, helmReleases)
	put(t, a.release())
	l := begin(t, asking(early.URL, a), asking(world.URL, a))
	l.works(t)
	l.stop()
	l.holds(t, refused(http.StatusServiceUnavailable))
	// And the watch takes over from the live reads.
	early.remembers(t, a)
}

func verdictOf(t *testing.T, s server, a app, q quality, ifGood, ifBad int32) error {
	if q == good {
		return wanted(judged(t, s.URL, a.pod(q)), ifGood, "ContractKept")
	}
	return wanted(judged(t, s.URL, a.pod(q)), ifBad, "requires")
}

// isReady waits until /readyz?verbose answers so.
func (s server) isReady(t *testing.T, code int, texts ...string) {
	t.Helper()
	eventually(t, func() error {
		got, said := s.probe(t, "/readyz?verbose")
		for _, text := range texts {
			if got != code || !strings.Contains(said, text) {
				return fmt.Errorf("/readyz answers %d %s, wanted %d with %s", got, said, code, text)
			}
		}
		return nil
	})
}

const (
	classes      = "affinityclasses.cozystack.io"
	helmReleases = "helmreleases.helm.toolkit.fluxcd.io"
)

func definition() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("apiextensions.k8s.io/v1")
	object.SetKind("CustomResourceDefinition")
	return object
}

// undefine removes a definition and returns when its kind is served no more.
func undefine(t *testing.T, name string) {
	t.Helper()
	object := definition()
	object.SetName(name)
	do(t, func() error { return world.Client.Delete(t.Context(), object) })
	if name == classes {
		letGo(t)
	}
	eventually(t, func() error {
		err := world.Client.Get(t.Context(), client.ObjectKey{Name: name}, definition())
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("definition %s is still there: %v", name, err)
		}
		return nil
	})
}

// letGo takes the finalizers from classes in use, which hold their definition too,
// as an administrator who means it would.
func letGo(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		var all v1alpha1.AffinityClassList
		if err := world.Client.List(t.Context(), &all); err != nil {
			return client.IgnoreNotFound(err)
		}
		for i := range all.Items {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
			if err := world.Client.Patch(t.Context(), &all.Items[i], patch); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
		if len(all.Items) > 0 {
			return fmt.Errorf("%d classes are still there", len(all.Items))
		}
		return nil
	})
}

// define applies a definition of the repository and waits until its kind is served.
func define(t *testing.T, name string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, dir := range []string{"config/crd", "test/cluster/crd"} {
		objects, err := platform.Manifests(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range objects {
			if object.GetName() == name {
				do(t, func() error { return world.Apply(ctx, object) })
			}
		}
	}
	eventually(t, func() error {
		object := definition()
		if err := world.Client.Get(ctx, client.ObjectKey{Name: name}, object); err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, condition := range conditions {
			if c := condition.(map[string]any); c["type"] == "Established" && c["status"] == string(metav1.ConditionTrue) {
				return nil
			}
		}
		return errors.New("the definition is not established")
	})
}
