package check

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook/review"
)

// NotChecked is the reason of a result about a kind that seems to make Pods and that
// nothing is known of. It is of files alone: the server sees the Pods themselves.
const NotChecked review.Reason = "NotChecked"

// PodFields are the fields by which an object shows that Pods come of it, sorted.
func PodFields() []string {
	return []string{
		"affinity", "container", "containers", "initContainers", "nodeAffinity", "nodeSelector", "podAntiAffinity",
		"podSpec", "podTemplate", "tolerations", "topologySpreadConstraints",
	}
}

// builtIn are the groups of Kubernetes itself, whose workloads are all known, and ours.
var builtIn = [...]string{
	"", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps",
	"authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io",
	"coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "extensions", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io",
	"resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
	v1alpha1.GroupVersion.Group,
}

// knows says whether it is known what Pods come of the kind, if any.
func (k *Kinds) knows(kind schema.GroupKind) bool {
	return slices.Contains(builtIn[:], kind.Group) || k.custom.Has(kind)
}

// podLike is the path of a field by which the object shows that Pods come of it;
// empty when there is none. It looks at no metadata and no status.
func podLike(object []byte) string {
	mentioned := func(field string) bool { return bytes.Contains(object, []byte(`"`+field+`"`)) }
	if !slices.ContainsFunc(PodFields(), mentioned) {
		return ""
	}
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return ""
	}
	delete(fields, "metadata")
	delete(fields, "status")
	return findField(fields, "")
}

// findField is the first path, in the order of names, that ends in such a field.
func findField(value any, path string) string {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			below := strings.TrimPrefix(path+"."+name, ".")
			if slices.Contains(PodFields(), name) && isPart(value[name]) {
				return below
			}
			if found := findField(value[name], below); found != "" {
				return found
			}
		}
	case []any:
		for i, element := range value {
			if found := findField(element, fmt.Sprintf("%s[%d]", path, i)); found != "" {
				return found
			}
		}
	}
	return ""
}

// isPart says whether a value can be a part of a Pod: they are objects and lists.
func isPart(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func (i *Item) notChecked() Result {
	object := i.document.Object
	return Result{
		Object: objectOf(&i.document), Path: i.unchecked, Verdict: review.Unknown, Reason: NotChecked,
		Violations: []affinityclass.Violation{},
		Message: fmt.Sprintf("%s: not checked: %s looks like a Pod's, and of kind %s it is not known what Pods come of it; describe the kind in a file for --paths",
			object, i.unchecked, object.GroupKind),
	}
}
