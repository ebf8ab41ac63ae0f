package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
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

func (o *classesOptions) read(cmd *cobra.Command) (classes.Input, error) {
	if len(o.files) == 0 {
		cluster, err := connect(o.kubeconfig, o.context)
		if err != nil {
			return classes.Input{}, err
		}
		in, err := cluster.Classes(cmd.Context())
		if err != nil {
			return in, exit{code: exitCluster, err: err}
		}
		return in, nil
	}
	source := input.Source{Stdin: cmd.InOrStdin(), Namespace: "default", Recursive: o.recursive}
	documents, err := source.Read(o.files)
	if err != nil {
		return classes.Input{}, badQuestion(err)
	}
	in, err := fromFiles(documents)
	if err != nil {
		return in, badQuestion(err)
	}
	o.notes = lacking(documents)
	return in, nil
}

// lacking says of which kinds there is no object in files: a count of 0 must not look
// like an answer.
func lacking(documents []manifest.Document) []string {
	seen := map[string]bool{}
	for i := range documents {
		seen[documents[i].Object.Kind] = true
	}
	var notes []string
	for _, kind := range [][2]string{
		{"Node", "the files have no Nodes: which belong to a class is not known"},
		{"HelmRelease", "the files have no HelmReleases: which name a class is not known"},
		{"Tenant", "the files have no Tenants: which refer to a class is not known"},
	} {
		if !seen[kind[0]] {
			notes = append(notes, kind[1])
		}
	}
	return notes
}

func (o *classesOptions) say(w io.Writer) error {
	for _, note := range o.notes {
		if _, err := io.WriteString(w, output.Wrap("note: "+note, output.Width(w), 2)); err != nil {
			return err
		}
	}
	return nil
}

// fromFiles picks the classes, nodes, releases and Tenants of the documents.
func fromFiles(documents []manifest.Document) (classes.Input, error) {
	var in classes.Input
	for i := range documents {
		document := &documents[i]
		if err := pick(&in, document); err != nil {
			return in, &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
		}
	}
	return in, nil
}

// pick takes what is read of one document, if anything.
func pick(in *classes.Input, document *manifest.Document) error {
	var err error
	switch object := document.Object; {
	case object.Kind == "AffinityClass" && object.Group == v1alpha1.GroupVersion.Group:
		var class v1alpha1.AffinityClass
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &class)
		in.Classes = append(in.Classes, class)
	case object.Kind == "Node" && object.Group == "":
		var node corev1.Node
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &node)
		in.Nodes = append(in.Nodes, node)
	case object.GroupKind == lineage.HelmRelease:
		if class, ok := policy.ClassName(object.Labels); ok {
			in.Releases = append(in.Releases, classes.Release{Name: object.Namespace + "/" + object.Name, Class: class})
		}
	case object.Kind == "Tenant" && object.Group == tenantv1.GroupVersion.Group:
		var tenant tenantv1.Tenant
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &tenant)
		tenant.Namespace = object.Namespace
		in.Tenants = append(in.Tenants, classes.Refer(&tenant))
	}
	return err
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
