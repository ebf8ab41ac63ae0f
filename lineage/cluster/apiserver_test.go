package cluster_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// apiServer speaks as much of the API as the reader's clients need: aggregated
// discovery and single objects, over HTTP on loopback. It counts what it is
// asked, since that is what the reader promises.
type apiServer struct {
	*httptest.Server

	mu      sync.Mutex
	kinds   map[string]fixture.Kind
	stale   map[string]bool // groups whose discovery fails
	objects map[string]*lineage.Object
	answer  func(path string) *apierrors.StatusError      // fails a request
	gate    func(path string)                             // holds a request back
	also    func(http.ResponseWriter, *http.Request) bool // answers what the server itself cannot
	asked   map[string]int
}

func serve(t testing.TB, worlds ...*fixture.World) *apiServer {
	t.Helper()
	s := &apiServer{
		kinds: fixture.Kinds(), stale: map[string]bool{}, objects: map[string]*lineage.Object{}, asked: map[string]int{},
		answer: func(string) *apierrors.StatusError { return nil }, gate: func(string) {},
		also: func(http.ResponseWriter, *http.Request) bool { return false },
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	for _, world := range worlds {
		for _, object := range world.Objects {
			s.put(object)
		}
	}
	return s
}

// config leaves the client's own limit off, so that a test sees the reader's.
func (s *apiServer) config() *rest.Config { return &rest.Config{Host: s.URL, QPS: -1} }

func pathOf(kind fixture.Kind, namespace, name string) string {
	path := "/apis/" + kind.Group
	if kind.Group == "" {
		path = "/api"
	}
	path += "/" + kind.Version
	if !kind.ClusterScoped {
		path += "/namespaces/" + namespace
	}
	return path + "/" + kind.Resource + "/" + name
}

func (s *apiServer) path(object *lineage.Object) string {
	return pathOf(s.kinds[object.Kind], object.Namespace, object.Name)
}

// change runs under the server's lock.
func (s *apiServer) change(by func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by()
}

func (s *apiServer) put(object *lineage.Object) {
	s.change(func() { s.objects[s.path(object)] = object })
}

func (s *apiServer) remove(object *lineage.Object) {
	s.change(func() { delete(s.objects, s.path(object)) })
}

// reads gives the number of requests for objects, discoveries those for kinds.
func (s *apiServer) reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for path, count := range s.asked {
		if path != "/api" && path != "/apis" && path != "/readyz" {
			total += count
		}
	}
	return total
}

func (s *apiServer) discoveries() int { return s.count("/apis") }

func (s *apiServer) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	gate, answer := s.gate, s.answer(r.URL.Path)
	s.mu.Unlock()
	gate(r.URL.Path)
	switch {
	case answer != nil:
		fail(w, answer)
	case s.also(w, r):
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/api", r.URL.Path == "/apis":
		w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		write(w, http.StatusOK, s.discovery(r.URL.Path))
	default:
		s.object(w, r)
	}
}

// object answers as an API server does: with a Status for a name that is not
// there, and with plain text for a path that nobody serves.
func (s *apiServer) object(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object, found := s.objects[r.URL.Path]
	kind, served := s.serving(r.URL.Path)
	switch {
	case !served:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case !found:
		fail(w, apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Resource}, "x"))
	default:
		content := fixture.Content(object)
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
			content["apiVersion"], content["kind"] = "meta.k8s.io/v1", "PartialObjectMetadata"
		}
		write(w, http.StatusOK, content)
	}
}

func (s *apiServer) serving(path string) (fixture.Kind, bool) {
	for _, kind := range s.kinds {
		prefix, _, _ := strings.Cut(pathOf(kind, "*", ""), "/namespaces/")
		if strings.HasPrefix(path, prefix+"/") && strings.Contains(path, "/"+kind.Resource+"/") {
			return kind, true
		}
	}
	return fixture.Kind{}, false
}

func (s *apiServer) discovery(path string) apidiscovery.APIGroupDiscoveryList {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := apidiscovery.APIGroupDiscoveryList{}
	list.APIVersion, list.Kind = "apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"
	at := map[string]int{}
	for _, kind := range s.kinds {
		if (kind.Group == "") != (path == "/api") {
			continue
		}
		i, ok := at[kind.Group]
		if !ok {
			i = len(list.Items)
			at[kind.Group] = i
			group := apidiscovery.APIGroupDiscovery{Versions: []apidiscovery.APIVersionDiscovery{{Version: kind.Version, Freshness: "Current"}}}
			group.Name = kind.Group
			list.Items = append(list.Items, group)
		}
		version := &list.Items[i].Versions[0]
		if s.stale[kind.Group] {
			version.Freshness = apidiscovery.DiscoveryFreshnessStale
			continue
		}
		scope := apidiscovery.ScopeNamespace
		if kind.ClusterScoped {
			scope = apidiscovery.ScopeCluster
		}
		version.Resources = append(version.Resources, apidiscovery.APIResourceDiscovery{
			Resource: kind.Resource, Scope: scope, Verbs: []string{"get", "list", "watch"}, SingularResource: strings.ToLower(kind.Kind),
			ResponseKind: &metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind},
		})
	}
	return list
}

func fail(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.APIVersion, status.Kind = "v1", "Status"
	write(w, int(status.Code), status)
}

func write(w http.ResponseWriter, code int, body any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(fmt.Sprintf("encode an answer: %v", err))
	}
}
