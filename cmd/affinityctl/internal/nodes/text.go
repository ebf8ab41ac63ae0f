package nodes

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Quantities writes resources on a line, sorted.
func Quantities(all corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		quantity := all[name]
		parts = append(parts, string(name)+"="+quantity.String())
	}
	return strings.Join(parts, ",")
}

// Labels writes labels on a line, sorted.
func Labels(all map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, key+"="+all[key])
	}
	return strings.Join(parts, ",")
}
