// Package clustertest plays the API server of a cluster, over HTTP on loopback, to
// the tests of the verbs that read one: discovery, single objects, and lists page by
// page. It counts what it is asked and can forbid a resource.
//
// It is no control plane: nothing is admitted, nothing happens by itself, and only
// the field and label selectors that affinityctl sends are understood. test/e2e has
// the real one.
package clustertest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage/manifest"
)

// Server is such an API server.
type Server struct {
	*httptest.Server

	mu        sync.Mutex
	kinds     []Kind
	objects   map[string][]object // by resource, in the order of a list
	forbidden map[string]bool     // by resource
	unlisted  map[string]bool     // by resource: single objects may be read
	asked     map[string]int      // by path
	largest   int                 // items of the longest answer
}

// object is a stored one.
type object struct {
	namespace, name string
	labels          map[string]string
	phase           string
	json            []byte
}

// New serves the objects of a text, which is read as affinityctl reads files.
func New(t testing.TB, documents string) *Server {
	t.Helper()
	s := &Server{kinds: kinds(), objects: map[string][]object{}, forbidden: map[string]bool{}, unlisted: map[string]bool{}, asked: map[string]int{}}
	found, err := manifest.Read("the cluster of the test", strings.NewReader(documents))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		s.Add(t, found[i].JSON)
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Add stores an object in JSON.
func (s *Server) Add(t testing.TB, text []byte) {
	t.Helper()
	var head struct {
		APIVersion, Kind string
		Metadata         struct {
			Namespace, Name string
			Labels          map[string]string
		}
		Status struct{ Phase any }
	}
	if err := json.Unmarshal(text, &head); err != nil {
		t.Fatal(err)
	}
	group := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind).Group
	at := slices.IndexFunc(s.kinds, func(k Kind) bool { return k.Kind == head.Kind && k.Group == group })
	if at < 0 {
		t.Fatalf("the API server of the test serves no %s %s", head.APIVersion, head.Kind)
	}
	phase, _ := head.Status.Phase.(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := object{head.Metadata.Namespace, head.Metadata.Name, head.Metadata.Labels, phase, text}
	all := s.objects[s.kinds[at].Resource]
	place, _ := slices.BinarySearchFunc(all, stored, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	s.objects[s.kinds[at].Resource] = slices.Insert(all, place, stored)
}

// Forbid refuses every read of a resource, such as "pods".
func (s *Server) Forbid(resources ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range resources {
		s.forbidden[resource] = true
	}
}

// ForbidLists refuses the lists of a resource alone.
func (s *Server) ForbidLists(resources ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range resources {
		s.unlisted[resource] = true
	}
}

// Unserve makes the server one that has no such resource.
func (s *Server) Unserve(resources ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds = slices.DeleteFunc(s.kinds, func(k Kind) bool { return slices.Contains(resources, k.Resource) })
}

// Asked is how often a path was read.
func (s *Server) Asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// Largest is how many items the longest list had.
func (s *Server) Largest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.largest
}

// Kubeconfig writes one whose context has the namespace, and gives its path.
func (s *Server) Kubeconfig(t testing.TB, namespace string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":%q}}],
"contexts":[{"name":"a","context":{"cluster":"a","namespace":%q}}],"current-context":"a"}`, s.URL, namespace)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ServeHTTP answers as an API server does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.Path]++
	switch {
	case r.Method != http.MethodGet:
		fail(w, apierrors.NewMethodNotSupported(schema.GroupResource{}, r.Method))
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Path == "/api", r.URL.Path == "/apis":
		w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		write(w, http.StatusOK, s.discovery(r.URL.Path))
	default:
		s.resource(w, r)
	}
}

func fail(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.ErrStatus
	status.APIVersion, status.Kind = "v1", "Status"
	write(w, int(status.Code), status)
}

func write(w http.ResponseWriter, code int, value any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(err) // of a test's own making
	}
}
