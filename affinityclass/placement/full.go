package placement

import (
	"fmt"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// full words a shortage for a Pod that requires something of its neighbours: so
// many nodes satisfy it and are full, whatever room others have. It is empty
// when nothing is required, or when it is a quota that binds.
func (r *run) full(nodes int, short *Shortfall) string {
	if !r.request.value.Requires() || short == nil || short.Quota != "" {
		return ""
	}
	if nodes == 1 {
		return "full only on the 1 node that satisfies " + required(r.request.value)
	}
	return fmt.Sprintf("full only on the %d nodes that satisfy %s", nodes, required(r.request.value))
}

// required is the half of a value that filters, for people: "require_with_tag
// web and require_without_tag batch, noisy".
func required(v binaryaffinity.Value) string {
	var parts []string
	for _, word := range []binaryaffinity.Word{binaryaffinity.RequireWith, binaryaffinity.RequireWithout} {
		if tags := v.Tags(word); len(tags) > 0 {
			parts = append(parts, string(word)+" "+strings.Join(tags, ", "))
		}
	}
	return strings.Join(parts, " and ")
}
