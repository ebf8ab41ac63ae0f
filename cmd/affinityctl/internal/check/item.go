package check

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Item is what is kept of one document: its object for lineage, and what is judged
// of it. The rest of the text is let go, so that thousands may be held at once.
type Item struct {
	document  manifest.Document // with its JSON only where that has rules of its own
	requests  []*review.Request
	unchecked string // the field by which its kind seems to make Pods
}

// Kinds reads documents by what is known of the kinds of workloads. It may be used
// by many goroutines at once.
type Kinds struct {
	custom *workload.Table
}

// NewKinds knows the built-in workloads and the custom resources of the table.
func NewKinds(custom *workload.Table) *Kinds { return &Kinds{custom: custom} }

// Item reduces a document to what is judged of it. An error says what of it cannot
// be read, and where.
func (k *Kinds) Item(document *manifest.Document) (Item, error) {
	item := Item{document: *document}
	switch document.Object.GroupKind {
	case classKind, tenantKind, lineage.HelmRelease:
		return item, nil
	}
	item.document.JSON = nil
	var err error
	var where *manifest.Error
	if item.requests, err = k.requests(document); err != nil && !errors.As(err, &where) {
		err = at(document, err)
	}
	if err != nil {
		return Item{}, err
	}
	if item.requests == nil && !k.knows(document.Object.GroupKind) {
		item.unchecked = podLike(document.JSON)
	}
	return item, nil
}

// requests are those that admission would see for the Pod, or for Pods of the
// template or of each role; none for an object that makes none.
func (k *Kinds) requests(document *manifest.Document) ([]*review.Request, error) {
	object := document.Object
	if object.GroupKind == pod {
		request, err := PodRequest(document.Object.Namespace, document.JSON)
		return []*review.Request{request}, err
	}
	request, err := review.NewTemplate(object.Namespace, object.Group, document.JSON)
	if !errors.Is(err, review.ErrNoTemplate) {
		return []*review.Request{request}, err
	}
	roles, _, err := k.custom.Find(object.GroupKind, document.JSON)
	if err != nil {
		return nil, err
	}
	var requests []*review.Request
	for i := range roles {
		request, err := roleRequest(object, &roles[i])
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// PodRequest is about a Pod in JSON, with the terms of its binary value, which the
// server adds to it before it judges it.
func PodRequest(namespace string, object []byte) (*review.Request, error) {
	request := &review.Request{Namespace: namespace}
	if err := json.Unmarshal(object, &request.Pod); err != nil {
		return nil, fmt.Errorf("read Pod: %w", err)
	}
	ops := review.Terms(request)
	if len(ops) == 0 {
		return request, nil
	}
	completed, err := applied(object, ops)
	if err != nil {
		return nil, fmt.Errorf("complete Pod: %w", err)
	}
	request.Pod = review.Pod{}
	return request, json.Unmarshal(completed, &request.Pod)
}

// roleRequest is the request about a Pod that an operator makes of the fragments.
func roleRequest(object *lineage.Object, role *workload.Fragments) (*review.Request, error) {
	request := &review.Request{Namespace: object.Namespace, Template: &review.Template{
		Owner: object, Path: role.Path, Fields: fields(role),
	}}
	if err := json.Unmarshal(role.JSON, &request.Pod); err != nil {
		return nil, fmt.Errorf("%s: read the constraints of %s: %w", object, role.Path, err)
	}
	return request, nil
}

// required is what of a node affinity binds a Pod.
const required = ".requiredDuringSchedulingIgnoredDuringExecution"

// fields are where the fields of the Pod stand. A resource that has only one of the
// two is mended by that one.
func fields(role *workload.Fragments) map[string]string {
	selector, affinity := role.NodeSelector, role.NodeAffinity
	switch {
	case selector == affinity: // it has neither
	case affinity == "":
		affinity = selector
	default:
		affinity += required
	}
	if selector == "" {
		selector = affinity
	}
	return map[string]string{affinityclass.NodeSelectorField: selector, affinityclass.NodeAffinityField: affinity}
}

// Number counts the item on from the objects before it in its file.
func (i *Item) Number(before int) { i.document.Index += before }
