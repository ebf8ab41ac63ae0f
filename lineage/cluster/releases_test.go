package cluster_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// releases adds the list and the watch of HelmReleases to an API server.
type releases struct {
	*apiServer
	served atomic.Bool
	events chan any
}

func serveReleases(t *testing.T, worlds ...*fixture.World) *releases {
	s := &releases{apiServer: serve(t, worlds...), events: make(chan any, 10)}
	s.also = s.handle
	return s
}

const releasePath = "/apis/helm.toolkit.fluxcd.io/v2"

func (s *releases) handle(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case !strings.HasPrefix(r.URL.Path, "/apis/helm.toolkit.fluxcd.io"):
		return r.URL.Path == "/apis" && s.groups(w)
	case !s.served.Load():
		http.NotFound(w, r)
	case r.URL.Path == releasePath:
		write(w, http.StatusOK, metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: "helm.toolkit.fluxcd.io/v2",
			APIResources: []metav1.APIResource{{Name: "helmreleases", Namespaced: true, Kind: "HelmRelease", Verbs: metav1.Verbs{"get", "list", "watch"}}},
		})
	case r.URL.Path == "/apis/helm.toolkit.fluxcd.io":
		write(w, http.StatusOK, s.group())
	case r.URL.Query().Get("sendInitialEvents") == "true":
		fail(w, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil))
	case r.URL.Query().Has("watch"):
		s.watch(w, r)
	default:
		s.list(w)
	}
	return true
}

func (s *releases) group() metav1.APIGroup {
	version := metav1.GroupVersionForDiscovery{GroupVersion: "helm.toolkit.fluxcd.io/v2", Version: "v2"}
	return metav1.APIGroup{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroup"}, Name: "helm.toolkit.fluxcd.io",
		Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
	}
}

func (s *releases) groups(w http.ResponseWriter) bool {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}}
	if s.served.Load() {
		list.Groups = append(list.Groups, s.group())
	}
	write(w, http.StatusOK, list)
	return true
}

func (s *releases) list(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	for _, object := range s.objects {
		if object.GroupKind == lineage.HelmRelease {
			items = append(items, fixture.Content(object))
		}
	}
	write(w, http.StatusOK, map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmReleaseList", "metadata": map[string]any{"resourceVersion": "1"}, "items": items,
	})
}

func (s *releases) watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case event := <-s.events:
			_ = json.NewEncoder(w).Encode(event)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (s *releases) tell(kind string, object *lineage.Object) {
	content := fixture.Content(object)
	content["metadata"].(map[string]any)["resourceVersion"] = "2"
	s.events <- map[string]any{"type": kind, "object": content}
}

// start runs a real cache against the server, and the release cache on it.
func start(t *testing.T, s *releases) *cluster.ReleaseCache {
	t.Helper()
	config := s.config()
	config.QPS = 0
	informers, err := cache.New(config, cache.Options{DefaultTransform: cluster.TrimRelease})
	if err != nil {
		t.Fatal(err)
	}
	releases := cluster.WatchReleases(informers)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- informers.Start(ctx) }()
	go func() { ended <- releases.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		s.CloseClientConnections()
	})
	return releases
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

func TestReleasesAreWatched(t *testing.T) {
	world := fixture.Chain("Pod shop/p @ shop/web-db @ shop/web", "Pod shop/q @ shop/guest !remote", "Pod shop/r @ flux/far ->shop")
	server := serveReleases(t, world)
	server.served.Store(true)
	releases := start(t, server)
	eventually(t, "synced", releases.HasSynced)
	for _, name := range []string{"web-db", "web", "guest", "far"} {
		want := world.Find("HelmRelease", name)
		got, ok := releases.Release(want.Namespace, name)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("wanted (-), got (+):\n%s", diff)
		}
	}
	web := world.Find("HelmRelease", "web")
	ready := func(wanted bool) func() bool {
		return func() bool { got, ok := releases.Release("shop", "web"); return ok && got.Release.Ready == wanted }
	}
	changed := *web
	changed.Release = &lineage.Release{Generation: 2}
	server.tell("MODIFIED", &changed)
	eventually(t, "a change is seen", ready(false))
	server.tell("DELETED", &changed)
	eventually(t, "a removal is seen", func() bool { _, ok := releases.Release("shop", "web"); return !ok })
	server.tell("ADDED", web)
	eventually(t, "an addition is seen", ready(true))
	reads := newReader(t, server.apiServer, cluster.Options{Releases: releases}).Begin("shop")
	resolves(t, world, reads)
	if reads.LiveReads() != 0 {
		t.Errorf("%d live reads of watched releases", reads.LiveReads())
	}
}

func TestTheWatchComesUpWhenReleasesAppear(t *testing.T) {
	world := fixture.Chain("Pod shop/p @ shop/web")
	server := serveReleases(t, world)
	releases := start(t, server)
	eventually(t, "synced, since there is nothing to hold", releases.HasSynced)
	if _, ok := releases.Release("shop", "web"); ok {
		t.Fatal("a release from nowhere")
	}
	server.served.Store(true)
	eventually(t, "the release is there", func() bool { _, ok := releases.Release("shop", "web"); return ok })
	eventually(t, "synced", releases.HasSynced)
}

func TestAWatchThatCannotListIsNotSynced(t *testing.T) {
	server := serveReleases(t)
	server.served.Store(true)
	server.change(func() {
		server.answer = func(path string) *apierrors.StatusError {
			if strings.HasSuffix(path, "/helmreleases") {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "helmreleases"}, "", nil)
			}
			return nil
		}
	})
	releases := start(t, server)
	eventually(t, "a list was tried", func() bool { return server.count(releasePath+"/helmreleases") > 0 })
	time.Sleep(50 * time.Millisecond)
	if releases.HasSynced() {
		t.Error("synced without a list")
	}
}

func TestTrimKeepsWhatIsReadAndNothingElse(t *testing.T) {
	whole := map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "generation": int64(7), "deletionTimestamp": "2026-01-01T00:00:00Z",
			"labels":        map[string]any{"a": "b"},
			"annotations":   map[string]any{"c": "d", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
			"managedFields": []any{map[string]any{"manager": "helm"}},
		},
		"spec": map[string]any{
			"targetNamespace": "zoo", "values": map[string]any{"password": "x"},
			"kubeConfig": map[string]any{"secretRef": map[string]any{"name": "guest"}},
		},
		"status": map[string]any{
			"observedGeneration": int64(6), "history": []any{"long"},
			"conditions": []any{
				map[string]any{"type": "Released", "status": "True"},
				map[string]any{"type": "Ready", "status": "True", "message": "long"},
			},
		},
	}
	before := cluster.ReleaseObject(&unstructured.Unstructured{Object: whole})
	trimmed, err := cluster.TrimRelease(&unstructured.Unstructured{Object: whole})
	if err != nil {
		t.Fatal(err)
	}
	object := trimmed.(*unstructured.Unstructured)
	if diff := cmp.Diff(before, cluster.ReleaseObject(object)); diff != "" {
		t.Errorf("whole (-), trimmed (+):\n%s", diff)
	}
	want := map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "generation": int64(7), "deletionTimestamp": "2026-01-01T00:00:00Z",
			"labels": map[string]any{"a": "b"}, "annotations": map[string]any{"c": "d"},
		},
		"spec": map[string]any{"targetNamespace": "zoo", "kubeConfig": map[string]any{}},
		"status": map[string]any{
			"observedGeneration": int64(6), "conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
		},
	}
	if diff := cmp.Diff(want, object.Object); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}

func TestTrimLeavesOtherThingsAlone(t *testing.T) {
	other := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": map[string]any{"x": "y"}}}
	for _, thing := range []any{other, "word", nil} {
		got, err := cluster.TrimRelease(thing)
		if diff := cmp.Diff(thing, got); err != nil || diff != "" {
			t.Errorf("%v: %s", err, diff)
		}
	}
}
