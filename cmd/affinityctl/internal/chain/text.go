package chain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

// Text writes the report for people, within a width if it is not 0.
func (r *Report) Text(w io.Writer, width int) error {
	var b strings.Builder
	r.Tree(&b, "", width)
	b.WriteString(output.Wrap(r.headline(), width, 2))
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) headline() string {
	var ends []string
	for i, release := range r.Releases {
		end := "HelmRelease " + release
		if r.Classes[i] != "" {
			end += fmt.Sprintf(" (AffinityClass %s)", r.Classes[i])
		} else {
			end += " (no AffinityClass)"
		}
		ends = append(ends, end)
	}
	text := r.Outcome
	if len(ends) > 0 {
		text += ": " + strings.Join(ends, ", ")
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	return text
}

// Tree writes the hops, each below the one that led to it.
func (r *Report) Tree(b *strings.Builder, indent string, width int) {
	var all [][]Hop
	for _, branch := range r.Branches {
		all = append(all, branch.Hops)
	}
	(&tree{b, width}).grow(all, 0, indent)
}

type tree struct {
	b     *strings.Builder
	width int
}

// grow writes the hops at a depth and what stands above each. Branches that are alike
// up to there share their lines.
func (t *tree) grow(branches [][]Hop, depth int, lead string) {
	groups := parted(branches, depth)
	for i, group := range groups {
		knee, below := "├─ ", "│  "
		if i == len(groups)-1 {
			knee, below = "└─ ", "   "
		}
		if depth == 0 {
			knee, below = "", ""
		}
		t.line(group[0], depth, lead+knee)
		t.grow(group, depth+1, lead+below)
	}
}

// parted groups the branches that go on at a depth, by their hop there.
func parted(branches [][]Hop, depth int) [][][]Hop {
	var groups [][][]Hop
	for _, branch := range branches {
		if len(branch) <= depth {
			continue
		}
		at := slices.IndexFunc(groups, func(group [][]Hop) bool { return group[0][depth] == branch[depth] })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], branch)
	}
	return groups
}

func (t *tree) line(branch []Hop, depth int, lead string) {
	hop := branch[depth]
	name := hop.Name
	if hop.Namespace != "" && (depth == 0 || hop.Namespace != branch[depth-1].Namespace || hop.Kind == "HelmRelease") {
		name = hop.Namespace + "/" + hop.Name
	}
	text := lead + hop.Kind + " " + name
	if how := said(hop.Via); how != "" {
		text += "  (" + how + ")"
	}
	if !hop.Found {
		text += "  not found or not read"
	}
	t.b.WriteString(output.Wrap(text, t.width, utf8.RuneCountInString(lead)+2))
}

// said is how a hop was found, in words.
func said(via string) string {
	switch via {
	case "controller":
		return "controller reference"
	case "owner":
		return "owner reference that does not control"
	case "flux-label":
		return "Flux label"
	default:
		return ""
	}
}
