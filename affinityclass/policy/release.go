package policy

import "k8s.io/apimachinery/pkg/util/validation"

// ClassLabel is the label by which a HelmRelease names its class, and the label
// that admission sets on the Pods of such a release. On a Pod it is derived and
// never evidence.
const ClassLabel = "apps.cozystack.io/affinity-class"

// ClassName is the class that an object with these labels names; false when it
// names none. An empty value names none.
func ClassName(labels map[string]string) (string, bool) {
	name := labels[ClassLabel]
	return name, name != ""
}

// MalformedName says why name cannot be the name of an AffinityClass, a DNS
// label of at most 63 characters; empty when it can.
func MalformedName(name string) string {
	if errs := validation.IsDNS1123Label(name); len(errs) > 0 {
		return errs[0]
	}
	return ""
}
