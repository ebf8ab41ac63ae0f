package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// PatchOp is one operation of a JSON patch (RFC 6902).
type PatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// LabelSet says which of the derived labels are ours to set and to remove.
type LabelSet []string

// ApplicationLabels are derived from the release. Where another lineage webhook
// of the cluster sets them, they are not ours.
func ApplicationLabels() LabelSet {
	return LabelSet{lineage.LabelApplicationGroup, lineage.LabelApplicationKind, lineage.LabelApplicationName}
}

// ClassLabels is the label derived from the class.
func ClassLabels() LabelSet { return LabelSet{policy.ClassLabel} }

// Labels is the patch that gives a Pod the labels of its release and class. It
// never refuses: where nothing can be derived it only removes what the Pod's
// writer put there, and the validating side judges.
func (r *Reviewer) Labels(ctx context.Context, req *Request, keep LabelSet) []PatchOp {
	if req.mirror() {
		return nil
	}
	found := r.find(ctx, req, r.begin(req.Namespace))
	return patch("labels", req.Pod.Metadata.Labels, found.labels(), keep)
}

// labels are what can be derived for certain: nothing from several releases.
func (f *finding) labels() map[string]string {
	resolved, ok := f.outcome.(lineage.Resolved)
	if !ok {
		return nil
	}
	labels := map[string]string{}
	for _, key := range ApplicationLabels() {
		if value := resolved.Release.Labels[key]; value != "" {
			labels[key] = labelValue(value)
		}
	}
	if len(f.classes) == 1 && policy.MalformedName(f.classes[0]) == "" {
		labels[policy.ClassLabel] = f.classes[0]
	}
	return labels
}

// patch names only what changes of the keys in keep, in a map of the metadata.
func patch(field string, have, want map[string]string, keep LabelSet) []PatchOp {
	path := "/metadata/" + field
	var ops []PatchOp
	set := map[string]string{}
	for _, key := range keep {
		value, wanted := want[key]
		old, present := have[key]
		switch {
		case wanted && (!present || old != value):
			set[key] = value
		case !wanted && present:
			ops = append(ops, PatchOp{Op: "remove", Path: pathOf(path, key)})
		}
	}
	if len(set) > 0 && have == nil {
		return []PatchOp{{Op: "add", Path: path, Value: set}}
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		ops = append(ops, PatchOp{Op: "add", Path: pathOf(path, key), Value: set[key]})
	}
	return ops
}

func pathOf(parent, key string) string {
	return parent + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

const maxLabelValue = 63 // characters; k8s.io/apimachinery validation.LabelValueMaxLength

// labelValue shortens a value to what a label can hold, the same way every
// time: its head and a digest of the whole.
func labelValue(value string) string {
	if len(value) <= maxLabelValue {
		return value
	}
	digest := sha256.Sum256([]byte(value))
	head := strings.TrimRight(value[:maxLabelValue-9], "-_.")
	return head + "-" + hex.EncodeToString(digest[:4])
}
