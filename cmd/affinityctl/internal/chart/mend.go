package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
)

// Trace gives the results about what the chart rendered their place in its templates
// and, where a Pod does not keep the class, how the chart can. The chart is rendered
// once more for it, if there is anything to say.
func (c *Chart) Trace(templates []Template, results []check.Result) {
	lines := c.Lines(templates)
	for i := range results {
		r := &results[i]
		at := slices.IndexFunc(templates, func(t Template) bool { return t.File == r.Source.File })
		if at < 0 {
			continue
		}
		t := &templates[at]
		found := region{from: r.Source.Line, to: max(r.Source.Line, r.Source.End)}
		if len(r.Violations) > 0 {
			found = t.locate(found.from, found.to, narrowest(r))
			r.Mend = c.mend(t, r, found)
		}
		r.Source.Line, r.Source.End = lines[t.File].Region(found.from, found.to)
	}
}

// narrowest is the path of the value that a chart would include something in.
func narrowest(r *check.Result) string {
	switch {
	case r.Place == nil:
		return "spec"
	case r.Place.Custom:
		return parent(r.Violations[0].Field)
	default:
		return r.Place.Path + ".spec"
	}
}

func parent(path string) string {
	path = strings.TrimSuffix(path, ".nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")
	if at := strings.LastIndex(path, "."); at >= 0 && strings.HasSuffix(path, ".nodeSelector") {
		path = path[:at]
	}
	return path
}

// mend says what to include where. It names the root context $, which is right
// inside of range and with too.
func (c *Chart) mend(t *Template, r *check.Result, found region) string {
	if t.Sub {
		return "a subchart is not given the class: deploy it by a HelmRelease of its own, or hand the class on in its values"
	}
	return c.dependency() + c.include(r, found)
}

func (c *Chart) include(r *check.Result, found region) string {
	where := narrowest(r)
	indent := found.indent + 2*found.missing
	if r.Place == nil || !r.Place.Custom {
		return podSpecIn(where, indent, found)
	}
	selector, affinity := r.Place.NodeSelector, parent(r.Place.NodeAffinity)
	switch {
	case selector == affinity: // nothing can be given
		return fmt.Sprintf("nothing can be included for these Pods: set %s, see docs/charts.md", selector)
	case parent(selector)+".affinity" == affinity:
		return podSpecIn(parent(selector), indent, found)
	case parent(selector) == affinity && strings.HasSuffix(selector, ".nodeSelector"):
		return fmt.Sprintf(`in %s, {{- include "cozy-lib.scheduling.nodeSelector" $ | nindent %d }}; a class with terms wants "cozy-lib.scheduling.nodeAffinity" there`, affinity, indent)
	default:
		return fmt.Sprintf(`in %s, {{- include "cozy-lib.scheduling.nodeAffinity" $ | nindent %d }}`, affinity, indent)
	}
}

func podSpecIn(where string, indent int, found region) string {
	if slices.Contains(found.fields, "nodeSelector") || slices.Contains(found.fields, "affinity") {
		return fmt.Sprintf(`in %s, in place of nodeSelector, affinity and tolerations, {{- include "cozy-lib.scheduling.merge" (list $ .Values.placement) | nindent %d }}, with the chart's own in placement`, where, indent)
	}
	return fmt.Sprintf(`in %s, {{- include "cozy-lib.scheduling.podSpec" $ | nindent %d }}`, where, indent)
}

// dependency says that the chart has no helper yet.
func (c *Chart) dependency() string {
	for _, d := range c.chart.Dependencies() {
		if d.Name() == "cozy-lib" {
			return ""
		}
	}
	return "make cozy-lib a dependency of the chart; then, "
}
