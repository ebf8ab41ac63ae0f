package audit

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/webhook/review"
)

const shown = 8 // Pods that are named of those with one message

// Text writes the report for people, within a width if it is not 0.
func (r *Report) Text(w io.Writer, width int) error {
	var b strings.Builder
	for i := range r.Releases {
		r.Releases[i].text(&b, width)
	}
	for _, note := range r.Notes {
		b.WriteString(output.Wrap("note: "+note, width, 2))
	}
	s := r.Summary
	b.WriteString(output.Wrap(fmt.Sprintf("Pods: %d (%d allowed, %d denied, %d warned, %d not governed, %d unknown), %d on a node outside their class",
		s.Pods, s.Allowed, s.Denied, s.Warned, s.NotGoverned, s.Unknown, s.Outside), width, 2))
	b.WriteString(output.Wrap(r.scope(), width, 2))
	_, err := io.WriteString(w, b.String())
	return err
}

// scope says what was not looked at: an empty list must not look like more than it is.
func (r *Report) scope() string {
	const workloads = "Workloads without Pods were not judged."
	if r.Namespace == "" {
		return workloads
	}
	return fmt.Sprintf("Namespace %s alone was read; -A asks all. %s", r.Namespace, workloads)
}

func (r *Release) text(b *strings.Builder, width int) {
	head := "No release, namespace " + r.Namespace
	if r.Release != "" {
		head = "HelmRelease " + r.Release
		if !strings.HasPrefix(r.Release, r.Namespace+"/") {
			head += ", namespace " + r.Namespace
		}
	}
	head += fmt.Sprintf(" (class %s, mode %s): %d of %d Pods", cmp.Or(r.Class, "none"), cmp.Or(string(r.Mode), "none"), len(r.Findings), r.Pods)
	b.WriteString(output.Wrap(head, width, 2))
	for _, group := range alike(r.Findings) {
		first := group[0]
		b.WriteString(output.Wrap(fmt.Sprintf("  %s: %s", first.headline(), first.sentence()), width, 4))
		b.WriteString(output.Wrap("    "+names(group), width, 4))
	}
}

// alike groups findings that say the same, in the order of their first.
func alike(all []Finding) [][]Finding {
	at := map[string]int{}
	var groups [][]Finding
	for _, f := range all {
		key := f.headline() + f.Message
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func (f *Finding) headline() string {
	text := string(f.Verdict)
	if f.Code != 0 {
		text += fmt.Sprintf(" %d", f.Code)
	}
	if f.Outside {
		text += ", outside its class"
	}
	return text
}

func (f *Finding) sentence() string {
	switch {
	case f.Verdict == review.Unknown:
		return "could not tell: " + f.Message
	case f.Message != "":
		return f.Message
	default:
		return "its constraints are kept, and the node is none of the class: move it, or label the node"
	}
}

// names are the Pods, each with its node where that is what is wrong.
func names(group []Finding) string {
	var all []string
	for _, f := range group[:min(shown, len(group))] {
		name := f.Pod
		if f.Outside {
			name += " on " + f.Node
		}
		all = append(all, name)
	}
	text := strings.Join(all, ", ")
	if more := len(group) - len(all); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
