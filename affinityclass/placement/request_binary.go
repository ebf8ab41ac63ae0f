package placement

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// readValue takes the binary value of a Pod and its tags, and takes the terms
// that translate the value out of the Pod: they are judged as the value, in the
// stage affinity_constraints and in the tier, and not once more as terms.
func (r *Request) readValue(object *v1.Pod) {
	r.tags = binaryaffinity.TagsOf(object.Labels)
	parsed, _ := binaryaffinity.Of(object.Annotations, binaryaffinity.Path(nil)) // with errors it is empty
	r.value = parsed.Value
	if object.Spec.Affinity == nil || r.value.Empty() {
		return
	}
	if with := object.Spec.Affinity.PodAffinity; with != nil {
		r.strip(binaryaffinity.RequireWith, &with.RequiredDuringSchedulingIgnoredDuringExecution)
		r.stripPreferred(binaryaffinity.PreferWith, &with.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if without := object.Spec.Affinity.PodAntiAffinity; without != nil {
		r.strip(binaryaffinity.RequireWithout, &without.RequiredDuringSchedulingIgnoredDuringExecution)
		r.stripPreferred(binaryaffinity.PreferWithout, &without.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func (r *Request) strip(word binaryaffinity.Word, terms *[]v1.PodAffinityTerm) {
	*terms = slices.DeleteFunc(*terms, func(t v1.PodAffinityTerm) bool { return r.value.Own(word, &t) })
}

func (r *Request) stripPreferred(word binaryaffinity.Word, terms *[]v1.WeightedPodAffinityTerm) {
	*terms = slices.DeleteFunc(*terms, func(t v1.WeightedPodAffinityTerm) bool { return r.value.OwnPreferred(word, &t) })
}

// translated is the required anti-affinity that admission makes of the value: by
// it a Pod that is placed keeps others away. These terms can always be read.
func (r *Request) translated(object *v1.Pod) []*term {
	if len(r.value.RequireWithout) == 0 {
		return nil
	}
	of := binaryaffinity.Value{RequireWithout: r.value.RequireWithout}
	terms, _ := requiredTerms(binaryaffinity.Translate(of, nil).RequiredAntiAffinity, object)
	return terms
}

// ownBesideValue lists what is not modelled of a value: kube-scheduler wants one
// neighbour for all required affinity terms of a Pod, and the stages here judge the
// value's apart from the Pod's own.
func (r *Request) ownBesideValue() {
	if len(r.attract) > 0 && len(r.value.RequireWith) > 0 {
		r.unmodelled = append(r.unmodelled, "pod affinity beside require_with_tag")
		slices.Sort(r.unmodelled)
	}
}

// asker is the request as the one who asks. A name that is ours is nobody's.
func (r *Request) asker() binaryaffinity.Asker {
	asker := binaryaffinity.Asker{Namespace: r.object.Namespace, Name: r.object.Name, UID: string(r.uid)}
	if r.made {
		asker.Name = ""
	}
	return asker
}
