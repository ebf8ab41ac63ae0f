package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"
)

// apiServer plays as much of an API server as a list needs: discovery, pages of
// one object, and kinds that may not be listed.
type apiServer struct {
	objects   map[string][]string // by path, each an object in JSON
	forbidden string              // a path
	asked     []string            // paths and what was accepted
}

func (s *apiServer) resources(group string) map[string]any {
	kinds := map[string][]string{
		"v1":       {"Pod", "ReplicationController", "Namespace"},
		"apps/v1":  {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"},
		"batch/v1": {"Job", "CronJob"},
	}
	var all []map[string]any
	for _, kind := range kinds[group] {
		all = append(all, map[string]any{"name": strings.ToLower(kind) + "s", "namespaced": kind != "Namespace", "kind": kind, "verbs": []string{"list"}})
	}
	return map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": all}
}

func (s *apiServer) groups() map[string]any {
	var groups []map[string]any
	for _, name := range []string{"apps", "batch"} {
		version := map[string]any{"groupVersion": name + "/v1", "version": "v1"}
		groups = append(groups, map[string]any{"name": name, "versions": []any{version}, "preferredVersion": version})
	}
	return map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch path := strings.Trim(r.URL.Path, "/"); path {
	case "api":
		answer(w, map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
	case "apis":
		answer(w, s.groups())
	case "api/v1", "apis/apps/v1", "apis/batch/v1":
		answer(w, s.resources(strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/")))
	case "api/v1/namespaces/shop", "api/v1/namespaces/empty":
		answer(w, map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": strings.TrimPrefix(path, "api/v1/namespaces/")}})
	case "api/v1/namespaces/nope":
		w.WriteHeader(http.StatusNotFound)
		answer(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: "NotFound", Code: 404})
	case s.forbidden:
		w.WriteHeader(http.StatusForbidden)
		answer(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: "Forbidden", Code: 403, Message: "not for you"})
	default:
		s.list(w, r, path)
	}
}

// list answers one object a page.
func (s *apiServer) list(w http.ResponseWriter, r *http.Request, path string) {
	s.asked = append(s.asked, path+" "+strings.Split(r.Header.Get("Accept"), ",")[0])
	at := 0
	if next := r.URL.Query().Get("continue"); next != "" {
		if _, err := fmt.Sscan(next, &at); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	list := map[string]any{"kind": "List", "apiVersion": "v1", "metadata": map[string]any{}, "items": []any{}}
	if objects := s.objects[path]; at < len(objects) {
		list["items"] = []any{json.RawMessage(objects[at])}
		if at+1 < len(objects) {
			list["metadata"] = map[string]any{"continue": fmt.Sprint(at + 1)}
		}
	}
	answer(w, list)
}

func answer(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(err)
	}
}

// start runs the server and gives the kubeconfig of a user in namespace shop.
func (s *apiServer) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"a","users":[{"name":"a","user":{}}],
		"clusters":[{"name":"a","cluster":{"server":%q}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a","namespace":"shop"}}]}`, server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func storedPod(namespace, name, value string) string {
	return fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"annotations":{"affinity.cozystack.io/binary":%q}}}`, namespace, name, value)
}

func storedDeployment(namespace, name, value string) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":%q,"name":%q},"spec":{"template":%s}}`, namespace, name, storedPod("", "", value))
}

func TestFindInACluster(t *testing.T) {
	server := &apiServer{objects: map[string][]string{
		"api/v1/pods":                              {storedPod("shop", "web-1", `{"db":1}`), storedPod("bank", "api", `{"db":-1}`), storedPod("shop", "old", `{"db":0.5}`), `{"metadata":{"namespace":"shop","name":"plain"}}`},
		"api/v1/namespaces/shop/pods":              {storedPod("shop", "web-1", `{"db":1}`)},
		"apis/apps/v1/deployments":                 {storedDeployment("shop", "web", `{"db":1}`), storedDeployment("bank", "api", `{"prefer_with_tag":["db"]}`)},
		"apis/apps/v1/namespaces/shop/deployments": {storedDeployment("shop", "web", `{"db":1}`)},
	}}
	config := server.start(t)
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"every namespace, in order, page after page", []string{"-A"}, 1, "find-cluster.txt"},
		{"the context's namespace, when none is given", nil, 1, "find-shop.txt"},
		{"a namespace", []string{"-n", "shop"}, 1, "find-shop.txt"},
		{"a namespace with nothing in it", []string{"-n", "empty"}, 0, "find-empty.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"binary", "find", "--kubeconfig", config}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.want, out)
		})
	}
	for _, asked := range server.asked {
		if strings.Contains(asked, "/pods") && !strings.Contains(asked, "as=PartialObjectMetadataList") {
			t.Errorf("more than the metadata of Pods was asked for: %s", asked)
		}
	}
}

func TestFindDoesNotTakeAPartForTheWhole(t *testing.T) {
	server := &apiServer{forbidden: "apis/apps/v1/statefulsets", objects: map[string][]string{"api/v1/pods": {storedPod("shop", "web-1", `{"db":1}`)}}}
	code, out, errs := invoke(t, "", "binary", "find", "-A", "--kubeconfig", server.start(t))
	if diff := cmp.Diff("error: list StatefulSets: not for you\n", errs); diff != "" || code != 4 || out != "" {
		t.Errorf("exit code %d, %q %s", code, out, diff)
	}
}

func TestFindInAClusterThatDoesNotAnswerEndsWithFour(t *testing.T) {
	if code, _, errs := invoke(t, "", "binary", "find", "--kubeconfig", "testdata/none"); code != 4 || errs == "" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
