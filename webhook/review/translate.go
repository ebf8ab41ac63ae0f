package review

import (
	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// Terms is the patch that gives a new Pod the native terms of its binary value, and
// the record of them. It never refuses: a value that cannot be read is translated
// to nothing, and the validating side judges. Each term goes to the end of its
// list, so that what the Pod has of its own stays as and where it is.
func Terms(req *Request) []PatchOp {
	if req.mirror() {
		return nil
	}
	meta, affinity := &req.Pod.Metadata, req.Pod.Spec.Affinity
	parsed, errs := binaryaffinity.Of(meta.Annotations, binaryField())
	record := map[string]string{}
	if len(errs) == 0 && !parsed.Value.Empty() {
		record[binaryaffinity.TranslatedAnnotation] = parsed.Value.String()
	}
	ops := appendTerms(affinity, binaryaffinity.Translate(parsed.Value, affinity.ToPods()))
	return append(ops, patch("annotations", meta.Annotations, record, LabelSet{binaryaffinity.TranslatedAnnotation})...)
}

// The lists of terms in a Pod, and the lists of an affinity or an anti-affinity.
const (
	affinityPath     = "/spec/affinity"
	withPath         = affinityPath + "/podAffinity"
	withoutPath      = affinityPath + "/podAntiAffinity"
	requiredInPods   = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredForPods = "preferredDuringSchedulingIgnoredDuringExecution"
)

// appendTerms names the missing parents whole, the outermost one first, and what is
// there only by its end.
func appendTerms(have *affinityclass.Affinity, terms binaryaffinity.Terms) (ops []PatchOp) {
	if terms.Empty() {
		return nil
	}
	if have == nil {
		added := terms.Append(nil)
		return []PatchOp{{Op: "add", Path: affinityPath, Value: added}}
	}
	if with := have.PodAffinity; with != nil {
		ops = extend(ops, withPath+"/"+requiredInPods, with.RequiredDuringSchedulingIgnoredDuringExecution, terms.RequiredAffinity)
		ops = extend(ops, withPath+"/"+preferredForPods, with.PreferredDuringSchedulingIgnoredDuringExecution, terms.PreferredAffinity)
	} else if added := terms.Append(nil).PodAffinity; added != nil {
		ops = append(ops, PatchOp{Op: "add", Path: withPath, Value: added})
	}
	if without := have.PodAntiAffinity; without != nil {
		ops = extend(ops, withoutPath+"/"+requiredInPods, without.RequiredDuringSchedulingIgnoredDuringExecution, terms.RequiredAntiAffinity)
		ops = extend(ops, withoutPath+"/"+preferredForPods, without.PreferredDuringSchedulingIgnoredDuringExecution, terms.PreferredAntiAffinity)
	} else if added := terms.Append(nil).PodAntiAffinity; added != nil {
		ops = append(ops, PatchOp{Op: "add", Path: withoutPath, Value: added})
	}
	return ops
}

// extend adds to the end of a list, or makes one that is not there.
func extend[T any](ops []PatchOp, path string, have, more []T) []PatchOp {
	if len(more) > 0 && len(have) == 0 {
		return append(ops, PatchOp{Op: "add", Path: path, Value: more})
	}
	for _, term := range more {
		ops = append(ops, PatchOp{Op: "add", Path: path + "/-", Value: term})
	}
	return ops
}
