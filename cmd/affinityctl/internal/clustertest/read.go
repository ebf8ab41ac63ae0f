package clustertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what a path names.
type target struct {
	kind            Kind
	namespace, name string
}

// parse reads /api/v1/namespaces/shop/pods/web and its kin.
func (s *Server) parse(path string) (target, bool) {
	for _, kind := range s.kinds {
		prefix := "/apis/" + kind.Group + "/" + kind.Version + "/"
		if kind.Group == "" {
			prefix = "/api/" + kind.Version + "/"
		}
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		parts, at := strings.Split(rest, "/"), target{kind: kind}
		if len(parts) > 2 && parts[0] == "namespaces" {
			at.namespace, parts = parts[1], parts[2:]
		}
		if parts[0] != kind.Resource || len(parts) > 2 {
			continue
		}
		if len(parts) == 2 {
			at.name = parts[1]
		}
		return at, true
	}
	return target{}, false
}

func (s *Server) resource(w http.ResponseWriter, r *http.Request) {
	at, ok := s.parse(r.URL.Path)
	group := schema.GroupResource{Group: at.kind.Group, Resource: at.kind.Resource}
	switch {
	case !ok:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case s.forbidden[at.kind.Resource], at.name == "" && s.unlisted[at.kind.Resource]:
		verb := "list"
		if at.name != "" {
			verb = "get"
		}
		said := fmt.Sprintf("User %q cannot %s resource %q in API group %q", "jane", verb, at.kind.Resource, at.kind.Group)
		fail(w, apierrors.NewForbidden(group, at.name, errors.New(said)))
	case at.name == "":
		s.list(w, r, at)
	default:
		s.get(w, r, at)
	}
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, at target) {
	for _, o := range s.objects[at.kind.Resource] {
		if o.namespace == at.namespace && o.name == at.name {
			write(w, http.StatusOK, json.RawMessage(asMetadata(r, o.json)))
			return
		}
	}
	fail(w, apierrors.NewNotFound(schema.GroupResource{Group: at.kind.Group, Resource: at.kind.Resource}, at.name))
}

// list gives a page; the token that continues it counts the objects looked at.
func (s *Server) list(w http.ResponseWriter, r *http.Request, at target) {
	query := r.URL.Query()
	selector, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		fail(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	from, _ := strconv.Atoi(query.Get("continue"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	unfinished := query.Get("fieldSelector") != ""
	all, items, next := s.objects[at.kind.Resource], []json.RawMessage{}, ""
	for i := from; i < len(all); i++ {
		if o := all[i]; at.namespace != "" && o.namespace != at.namespace || !selector.Matches(labels.Set(o.labels)) ||
			unfinished && (o.phase == "Succeeded" || o.phase == "Failed") {
			continue
		}
		if limit > 0 && len(items) == limit {
			next = strconv.Itoa(i)
			break
		}
		items = append(items, asMetadata(r, all[i].json))
	}
	s.largest = max(s.largest, len(items))
	list := map[string]any{"apiVersion": at.kind.GroupVersion().String(), "kind": at.kind.Kind + "List", "items": items,
		"metadata": map[string]any{"continue": next, "resourceVersion": "1"}}
	if wantsMetadata(r) {
		list["apiVersion"], list["kind"] = "meta.k8s.io/v1", "PartialObjectMetadataList"
	}
	write(w, http.StatusOK, list)
}

func wantsMetadata(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata")
}

// asMetadata is the object, or what of it was asked for.
func asMetadata(r *http.Request, object []byte) []byte {
	if !wantsMetadata(r) {
		return object
	}
	var part struct {
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(object, &part); err != nil {
		return object
	}
	return fmt.Appendf(nil, `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":%s}`, part.Metadata)
}
