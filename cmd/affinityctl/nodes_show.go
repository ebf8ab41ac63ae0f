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

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/nodes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// show reads and shows once.
func (o *nodesOptions) show(cmd *cobra.Command, w io.Writer, args []string) error {
	in, err := o.read(cmd)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return o.list(w, in)
	}
	name := oneName(args, "node", "nodes", "no")
	at := slices.IndexFunc(in.Nodes, func(n corev1.Node) bool { return n.Name == name })
	if at < 0 {
		return badQuestion(fmt.Errorf("node %q not found", name))
	}
	return o.one(w, &in.Nodes[at], in)
}

// read gives the nodes and the classes.
func (o *nodesOptions) read(cmd *cobra.Command) (classes.Input, error) {
	if len(o.snapshots) == 0 {
		return o.readCluster(cmd)
	}
	var in classes.Input
	source := input.Source{Stdin: cmd.InOrStdin(), Recursive: o.recursive}
	err := source.Each(o.snapshots, func(d *manifest.Document) error { return pick(&in, d) })
	if err != nil {
		return in, badQuestion(err)
	}
	return in, nil
}

func (o *nodesOptions) readCluster(cmd *cobra.Command) (in classes.Input, err error) {
	if o.cluster == nil {
		if o.cluster, err = o.connect(); err != nil {
			return in, err
		}
	}
	if in.Nodes, in.Classes, err = o.cluster.Nodes(cmd.Context()); err != nil {
		return in, unread(err)
	}
	return in, nil
}

// notes say what a dump lacks.
func (o *nodesOptions) notes(in classes.Input) []string {
	if len(o.snapshots) > 0 && len(in.Classes) == 0 {
		return []string{"the snapshot has no AffinityClasses: to which the nodes belong is not known"}
	}
	return nil
}

func (o *nodesOptions) list(w io.Writer, in classes.Input) error {
	found := nodes.List(in.Nodes, in.Classes)
	if o.format != output.Text {
		return output.Object(w, o.format, nodeList{found, o.notes(in)})
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(w, "No nodes found.")
		return err
	}
	rows := make([]output.Row, 0, len(found))
	for _, n := range found {
		rows = append(rows, output.Row{Cells: []string{n.Name, n.Ready, strconv.FormatBool(n.Schedulable),
			joined(n.Taints), joined(n.Addresses), joined(n.Classes)}})
	}
	if err := output.Fit(w, o.width, []string{"NAME", "READY", "SCHEDULABLE", "TAINTS", "ADDRESSES", "CLASSES"}, rows); err != nil {
		return err
	}
	return o.say(w, in)
}

// nodeList is the JSON of all nodes.
type nodeList struct {
	Nodes []nodes.Node `json:"nodes"`
	Notes []string     `json:"notes,omitempty"` // what the snapshot lacks
}

func (o *nodesOptions) say(w io.Writer, in classes.Input) error {
	for _, note := range o.notes(in) {
		if _, err := io.WriteString(w, output.Wrap("note: "+note, o.width, 2)); err != nil {
			return err
		}
	}
	return nil
}

func joined(all []string) string { return cmp.Or(strings.Join(all, ","), "-") }

func (o *nodesOptions) one(w io.Writer, object *corev1.Node, in classes.Input) error {
	if o.format != output.Text {
		object.APIVersion, object.Kind = "v1", "Node" // items of a typed list come without
		return output.Object(w, o.format, object)
	}
	n := nodes.List([]corev1.Node{*object}, in.Classes)[0]
	var b strings.Builder
	for _, line := range [][2]string{
		{"Name", n.Name}, {"Ready", n.Ready}, {"Schedulable", strconv.FormatBool(n.Schedulable)},
		{"Taints", joined(n.Taints)}, {"Addresses", joined(n.Addresses)}, {"Classes", joined(n.Classes)},
		{"Allocatable", nodes.Quantities(object.Status.Allocatable)}, {"Labels", nodes.Labels(object.Labels)},
	} {
		const column = 13
		b.WriteString(output.Wrap(fmt.Sprintf("%-*s%s", column, line[0]+":", cmp.Or(line[1], "-")), o.width, column))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return o.say(w, in)
}
