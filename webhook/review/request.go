package review

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// Mode is how strict the namespace of a request is.
type Mode = policy.Mode

// Request is what a review has to judge.
type Request struct {
	// Namespace is the request's: a Pod made by a controller may arrive without one.
	Namespace string
	Pod       Pod
	Creator   Creator
	DryRun    bool
	// Mode is the namespace's; the empty one is Deny.
	Mode Mode
	// Now is when the request came, for exemptions that expire.
	Now time.Time
	// Template is set when Pod is the template of another object, which the walk
	// to the release then starts from.
	Template *Template
	// ready is set when the Pod exists and its last scheduling gate goes: what it was
	// judged by at its creation is not judged again.
	ready *ready
	// asksAnew is set when a Pod that exists is given another binary value.
	asksAnew bool
}

// ready is an update of a Pod, with the warnings that come first.
type ready struct{ notes []string }

// Template is a Pod template's place: the object that holds it and the path.
type Template struct {
	Owner *lineage.Object
	Path  string // such as spec.template
	// Generation is the owner's, with this template.
	Generation int64
	// Fields are the places of the Pod's fields that do not stand below Path by their
	// names, as in the resources of operators.
	Fields map[string]string
}

// Field is where in the owner a field of the Pod is set.
func (t *Template) Field(field string) string {
	if place, ok := t.Fields[field]; ok {
		return place
	}
	return t.Path + "." + field
}

// Creator is the authenticated user who sent the request.
type Creator struct {
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
}

// Pod is the part of a Pod that is judged, with the JSON of a Pod.
type Pod struct {
	Metadata Metadata `json:"metadata"`
	Spec     Spec     `json:"spec"`
}

// Spec is the part of a PodSpec that is judged.
type Spec struct {
	affinityclass.Constraints
	NodeName        string              `json:"nodeName"`
	Tolerations     []corev1.Toleration `json:"tolerations"`
	SchedulingGates []struct {
		Name string `json:"name"`
	} `json:"schedulingGates"`
}

// gated says whether the Pod may still be completed before it is scheduled. A
// template is judged as it stands.
func (r *Request) gated() bool { return r.Template == nil && len(r.Pod.Spec.SchedulingGates) > 0 }

// Metadata is the part of an object's metadata that is read.
type Metadata struct {
	Name            string                  `json:"name"`
	GenerateName    string                  `json:"generateName"`
	UID             types.UID               `json:"uid"`
	Labels          map[string]string       `json:"labels"`
	Annotations     map[string]string       `json:"annotations"`
	OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
}

var podKind = schema.GroupKind{Kind: "Pod"}

// displayName is the name shown to people. Where generateName is set it is that
// prefix: the API server has drawn a name already, and quoting it would make
// every retry a new Event.
func (r *Request) displayName() string {
	name := r.Pod.Metadata.Name
	if prefix := r.Pod.Metadata.GenerateName; prefix != "" {
		name = prefix + "*"
	}
	return name
}

// subject is the object that the walk starts from.
func (r *Request) subject() *lineage.Object {
	if r.Template != nil {
		return r.Template.Owner
	}
	meta := &r.Pod.Metadata
	return &lineage.Object{
		GroupKind: podKind, Namespace: r.Namespace, Name: r.displayName(), UID: meta.UID,
		Labels: meta.Labels, Annotations: meta.Annotations, Owners: meta.OwnerReferences,
	}
}

// creation is what exemptions look at. Templates have no creator.
func (r *Request) creation() affinityclass.Creation {
	meta := &r.Pod.Metadata
	c := affinityclass.Creation{Username: r.Creator.Username, Namespace: r.Namespace, Labels: meta.Labels}
	for _, owner := range meta.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
			c.Controller = &kind
		}
	}
	return c
}

// mirror says whether this is a mirror Pod that a node made for a static one.
// Anybody can write the annotation; only nodes are in the group.
func (r *Request) mirror() bool {
	_, marked := r.Pod.Metadata.Annotations[lineage.AnnotationMirrorPod]
	return marked && slices.Contains(r.Creator.Groups, "system:nodes")
}
