package review

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/lineage"
)

// ErrNoTemplate says that an object's kind has no Pod template.
var ErrNoTemplate = errors.New("only objects with a Pod template are looked at here")

// NewTemplate makes the request about the Pod template of an object, given as
// JSON, in a namespace. The error is ErrNoTemplate, or says what cannot be read.
func NewTemplate(namespace, group string, object []byte) (*Request, error) {
	var head struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Metadata
			Generation int64 `json:"generation"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &head); err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	kind := schema.GroupKind{Group: group, Kind: head.Kind}
	template, ok, err := workload.Find(kind, object)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNoTemplate
	}
	meta := &head.Metadata
	req := &Request{Namespace: namespace, Template: &Template{
		Path: template.Path, Generation: meta.Generation,
		Owner: &lineage.Object{GroupKind: kind, Namespace: namespace, Name: meta.Name, UID: meta.UID,
			Labels: meta.Labels, Annotations: meta.Annotations, Owners: meta.OwnerReferences},
	}}
	if err := json.Unmarshal(template.JSON, &req.Pod); err != nil {
		return nil, fmt.Errorf("read %s: %w", template.Path, err)
	}
	return req, nil
}
