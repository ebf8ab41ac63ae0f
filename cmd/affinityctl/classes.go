package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

type classesOptions struct {
	files               []string
	kubeconfig, context string
	recursive           bool
	format              output.Format
	notes               []string // what the files lack
}

// classList is the JSON of all classes.
type classList struct {
	Classes []classes.Class `json:"classes"`
	Notes   []string        `json:"notes,omitempty"` // what the files lack
}

func newClasses() *cobra.Command {
	o := &classesOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "classes [NAME]",
		Short: "Show AffinityClasses with their nodes and releases",
		Long: `Show AffinityClasses with the nodes that belong to them, the releases that name
them and the Tenants that refer to them, from a cluster or, with -f, from files such as what
"kubectl get affinityclasses,nodes,helmreleases,tenants -A -o yaml" prints; what they
lack is said in a note.

Exit codes: 0 good, 2 the question was bad, or there is no class of that name,
4 the cluster could not be read.`,
		Example: `  # every class of the cluster
  affinityctl classes

  # everything about one
  affinityctl classes dc1 -f cluster.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *classesOptions) run(cmd *cobra.Command, args []string) error {
	in, err := o.read(cmd)
	if err != nil {
		return err
	}
	found := classes.List(in)
	if len(args) == 0 {
		return o.list(cmd.OutOrStdout(), found)
	}
	name := oneName(args, "class", "affinityclass", "affinityclasses")
	at := slices.IndexFunc(found, func(c classes.Class) bool { return c.Name == name })
	if at < 0 {
		return badQuestion(fmt.Errorf("AffinityClass %q not found", name))
	}
	return o.one(cmd.OutOrStdout(), found[at])
}

func (o *classesOptions) say(w io.Writer) error {
	for _, note := range o.notes {
		if _, err := io.WriteString(w, output.Wrap("note: "+note, output.Width(w), 2)); err != nil {
			return err
		}
	}
	return nil
}

func (o *classesOptions) list(w io.Writer, found []classes.Class) error {
	if o.format != output.Text {
		return output.Object(w, o.format, classList{found, o.notes})
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(w, "No AffinityClasses found.")
		return err
	}
	rows := make([]output.Row, 0, len(found))
	for _, c := range found {
		rows = append(rows, output.Row{Note: c.Invalid, Cells: []string{
			c.Name, cmp.Or(c.SelectorText(), "-"), string(c.Action), strconv.Itoa(len(c.Nodes)), strconv.Itoa(len(c.Releases)), strconv.Itoa(len(c.Tenants))}})
	}
	if err := output.Table(w, []string{"NAME", "SELECTOR", "ACTION", "NODES", "RELEASES", "TENANTS"}, rows); err != nil {
		return err
	}
	return o.say(w)
}

func (o *classesOptions) one(w io.Writer, c classes.Class) error {
	if o.format != output.Text {
		return output.Object(w, o.format, c)
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"Name", c.Name}, {"Description", c.Description}, {"Selector", c.SelectorText()}, {"Action", string(c.Action)},
		{"Invalid", c.Invalid}, {"Nodes", names(c.Nodes)}, {"Releases", names(c.Releases)}, {"Tenants", names(c.Tenants)},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-13s%s\n", line[0]+":", line[1])
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return o.say(w)
}

// names counts and lists.
func names(all []string) string {
	if len(all) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", len(all), strings.Join(all, ", "))
}
