package placement

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// Request is a Pod, or a Machine, that is to be placed: compiled once, and asked
// of any snapshot. It does not change.
type Request struct {
	object Ref
	uid    types.UID
	kind   kind
	// made says that the name is ours: no placed Pod can be the request itself.
	made   bool
	daemon daemon // its place, when a DaemonSet would make it
	labels labels.Set

	nodeName     string
	architecture string
	nodeSelector map[string]string
	nodeAffinity nodeaffinity.RequiredNodeAffinity
	affinityText string // the required node affinity, for people; empty for none
	tolerations  []v1.Toleration
	needs        []need
	limits       []need
	pinned       int64
	ports        []hostPort
	spread       []spread
	attract      []*term // required affinity
	avoid        []*term // required anti-affinity
	prefer       []preference
	preferNodes  *nodeaffinity.PreferredSchedulingTerms
	preferSteps  int // what preferNodes costs at each node
	claims       []types.NamespacedName

	value binaryaffinity.Value // what it asks of the tags of its neighbours
	tags  []string             // those it bears itself, sorted
	// repel is the required anti-affinity that it will have once placed: avoid,
	// and the terms that translate its value.
	repel []*term

	pod        *v1.Pod // for priority and quota scopes; nil for a Machine
	priority   int64   // a Machine's
	what       *int64  // the priority asked about, in place of its own
	unmodelled []string
}

// preference is a soft term; its weight is negative for anti-affinity.
type preference struct {
	term   *term
	weight int64
}

// Ref names the object the request was made from, or would become.
func (r *Request) Ref() Ref { return r.object }

// Crosses says whether a term of its own, required or preferred, speaks of Pods of
// another namespace than its own.
func (r *Request) Crosses() bool {
	out := func(t *term) bool {
		return t.all || t.wide != nil || slices.ContainsFunc(t.namespaces, func(name string) bool { return name != r.object.Namespace })
	}
	return slices.ContainsFunc(r.attract, out) || slices.ContainsFunc(r.avoid, out) ||
		slices.ContainsFunc(r.prefer, func(p preference) bool { return out(p.term) })
}

// FromPod makes a request of a Pod as the API server stores it. The error says
// which of its selectors cannot be read; kube-scheduler does not schedule such a
// Pod either. A binary value that cannot be read asks nothing: only admission
// refuses one.
func FromPod(object *v1.Pod) (*Request, error) { return fromOwn(object.DeepCopy()) }

// fromOwn is FromPod of a Pod that nobody else has.
func fromOwn(object *v1.Pod) (*Request, error) {
	r := &Request{
		object:       Ref{"v1", "Pod", object.Namespace, object.Name},
		uid:          object.UID,
		labels:       object.Labels,
		nodeName:     object.Spec.NodeName,
		nodeSelector: object.Spec.NodeSelector,
		nodeAffinity: nodeaffinity.GetRequiredNodeAffinity(object),
		affinityText: nodeAffinityText(object.Spec.Affinity),
		tolerations:  object.Spec.Tolerations,
		needs:        podNeeds(object, requested()),
		limits:       podLimits(object),
		ports:        hostPorts(object),
		claims:       podClaims(object),
		pod:          object,
		unmodelled:   unmodelled(object),
	}
	if object.Name == "" {
		r.made, r.object.Name = true, object.GenerateName+"0"
	}
	r.readValue(object)
	if err := r.compile(object); err != nil {
		return nil, fmt.Errorf("read Pod %s/%s: %w", object.Namespace, r.object.Name, err)
	}
	return r, nil
}

func (r *Request) compile(object *v1.Pod) error {
	for _, n := range r.needs {
		if n.amount < 0 {
			return fmt.Errorf("requests of %s: %s is less than nothing", n.name, quantity(n.name, n.amount))
		}
	}
	var err error
	if r.attract, err = requiredTerms(affinityOf(object), object); err != nil {
		return fmt.Errorf("podAffinity: %w", err)
	}
	if r.avoid, err = requiredTerms(antiAffinityOf(object), object); err != nil {
		return fmt.Errorf("podAntiAffinity: %w", err)
	}
	r.repel = append(slices.Clip(r.avoid), r.translated(object)...)
	r.ownBesideValue()
	if r.spread, err = spreadOf(object); err != nil {
		return fmt.Errorf("topologySpreadConstraints: %w", err)
	}
	if r.prefer, err = preferencesOf(object); err != nil {
		return fmt.Errorf("preferred affinity: %w", err)
	}
	if a := object.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		terms := a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		if r.preferNodes, err = nodeaffinity.NewPreferredSchedulingTerms(terms); err != nil {
			return fmt.Errorf("preferred node affinity: %w", err)
		}
		r.preferSteps = preferredSteps(a)
	}
	return nil
}

// preferencesOf compiles the soft Pod terms.
func preferencesOf(object *v1.Pod) ([]preference, error) {
	var all []preference
	add := func(terms []v1.WeightedPodAffinityTerm, sign int64) error {
		for i := range terms {
			t, err := compile(&terms[i].PodAffinityTerm, object)
			if err != nil {
				return err
			}
			all = append(all, preference{t, sign * int64(terms[i].Weight)})
		}
		return nil
	}
	a := object.Spec.Affinity
	if a != nil && a.PodAffinity != nil {
		if err := add(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, 1); err != nil {
			return nil, err
		}
	}
	if a != nil && a.PodAntiAffinity != nil {
		if err := add(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, -1); err != nil {
			return nil, err
		}
	}
	return all, nil
}
