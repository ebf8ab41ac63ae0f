package nodeset

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// parse reads a formula as tests write it:
//
//	disk=ssd; zone in dc1 dc3; cpu gt 8 | @ in n1
//
// is the nodeSelector disk=ssd with two terms: one on labels, one on the node's
// name. A nodeSelector alone leaves the selector nil; "none" is one without terms,
// "()" an empty term. Words that are no operator are kept as they are.
func parse(text string) formula {
	var f formula
	for t := range strings.SplitSeq(text, "|") {
		var term corev1.NodeSelectorTerm
		said := strings.TrimSpace(t) == "()"
		for r := range strings.SplitSeq(t, ";") {
			words := strings.Fields(r)
			if len(words) == 0 {
				continue
			}
			if key, value, ok := strings.Cut(words[0], "="); ok {
				f.label(key, value)
				continue
			}
			f.need()
			said = said || words[0] != "none"
			term = extend(term, words)
		}
		if said {
			f.need()
			f.Selector.NodeSelectorTerms = append(f.Selector.NodeSelectorTerms, term)
		}
	}
	return f
}

func (f *formula) label(key, value string) {
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
	f.Labels[key] = value
}

func (f *formula) need() {
	if f.Selector == nil {
		f.Selector = &corev1.NodeSelector{}
	}
}

func extend(t corev1.NodeSelectorTerm, words []string) corev1.NodeSelectorTerm {
	if words[0] == "none" || words[0] == "()" {
		return t
	}
	r := corev1.NodeSelectorRequirement{Key: words[0]}
	if len(words) > 1 {
		r.Operator = operator(words[1])
		for _, value := range words[2:] {
			r.Values = append(r.Values, strings.Trim(value, `"`))
		}
	}
	if field, ok := strings.CutPrefix(r.Key, "@"); ok {
		if r.Key = field; field == "" {
			r.Key = nodeNameField
		}
		t.MatchFields = append(t.MatchFields, r)
		return t
	}
	t.MatchExpressions = append(t.MatchExpressions, r)
	return t
}

func operator(word string) corev1.NodeSelectorOperator {
	switch word {
	case "in":
		return corev1.NodeSelectorOpIn
	case "notin":
		return corev1.NodeSelectorOpNotIn
	case "exists":
		return corev1.NodeSelectorOpExists
	case "absent":
		return corev1.NodeSelectorOpDoesNotExist
	case "gt":
		return corev1.NodeSelectorOpGt
	case "lt":
		return corev1.NodeSelectorOpLt
	}
	return corev1.NodeSelectorOperator(word)
}
