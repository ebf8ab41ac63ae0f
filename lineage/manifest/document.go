package manifest

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/cozystack/affinityclass/lineage"
)

// Document is one object of a file.
type Document struct {
	File  string
	Index int // counts the objects of the file from 1, those of a List one by one
	Line  int // where the object begins, from 1
	End   int // its last line; 0 when that is not known, as in a List

	JSON       []byte // the object
	APIVersion string
	Object     *lineage.Object

	// Defaulted says that the file gives no namespace and that the Object has
	// the default one. The object may just as well be cluster-scoped.
	Defaulted bool
}

// Content decodes the object; integers become int64.
func (d *Document) Content() (map[string]any, error) {
	content := map[string]any{}
	if err := json.Unmarshal(d.JSON, &content); err != nil {
		return nil, d.fail(err)
	}
	return content, nil
}

// Error says where in which file reading failed.
type Error struct {
	File  string
	Index int
	Line  int
	Err   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: document %d, line %d: %v", e.File, e.Index, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func (d *Document) fail(err error) error {
	return &Error{File: d.File, Index: d.Index, Line: d.Line, Err: err}
}

// What every object must have.
var (
	ErrNoAPIVersion = errors.New("the object has no apiVersion")
	ErrNoKind       = errors.New("the object has no kind")
	ErrNotAnObject  = errors.New("the document is not an object")
	ErrPage         = errors.New("the list is one page of several (metadata.continue is set), which must not be taken for the whole")
	ErrNoList       = errors.New("it has items and is no List; something so large is read item by item, as a List alone can be")
)

// head is what is read of every object. It is decoded case-sensitively, as the
// API server would.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name            string                  `json:"name"`
		GenerateName    string                  `json:"generateName"`
		Namespace       string                  `json:"namespace"`
		UID             types.UID               `json:"uid"`
		Labels          map[string]string       `json:"labels"`
		Annotations     map[string]string       `json:"annotations"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
		Continue        string                  `json:"continue"` // of a list that is one page of several
	} `json:"metadata"`
}

// describe fills in what a Document knows of its JSON.
func (d *Document) describe(h *head, namespace string) error {
	gv, err := schema.ParseGroupVersion(h.APIVersion)
	switch {
	case h.APIVersion == "":
		return d.fail(ErrNoAPIVersion)
	case err != nil:
		return d.fail(fmt.Errorf("read apiVersion: %w", err))
	case h.Kind == "":
		return d.fail(ErrNoKind)
	}
	d.APIVersion = h.APIVersion
	d.Object = &lineage.Object{
		GroupKind: schema.GroupKind{Group: gv.Group, Kind: h.Kind},
		Namespace: h.Metadata.Namespace, Name: h.Metadata.Name, UID: h.Metadata.UID,
		Labels: h.Metadata.Labels, Annotations: h.Metadata.Annotations, Owners: h.Metadata.OwnerReferences,
	}
	if d.Object.Namespace == "" && namespace != "" && !clusterScoped(d.Object.GroupKind) {
		d.Object.Namespace, d.Defaulted = namespace, true
	}
	return d.release()
}

func (d *Document) release() error {
	if d.Object.GroupKind != lineage.HelmRelease {
		return nil
	}
	content, err := d.Content()
	if err != nil {
		return err
	}
	d.Object.Release = lineage.ReadRelease(content)
	return nil
}

// itemKind is the kind of a typed list's items: a PodList holds Pods.
func (h *head) itemKind() (string, bool) {
	item, isList := strings.CutSuffix(h.Kind, "List")
	return item, isList
}
