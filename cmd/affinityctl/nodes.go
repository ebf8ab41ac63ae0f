package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/nodes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type nodesOptions struct {
	snapshots           []string
	kubeconfig, context string
	watch, recursive    bool
	format              output.Format
}

const refresh = 5 * time.Second

func newNodes() *cobra.Command {
	o := &nodesOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "nodes [NAME]",
		Short: "Show nodes with readiness, taints, addresses and AffinityClasses",
		Long: `Show nodes with readiness, taints, addresses and the AffinityClasses they belong
to, of a cluster or, with --snapshot, of what
"kubectl get nodes,affinityclasses -o yaml" printed. Nothing is written.

Exit codes: 0 good, 1 no node of that name, 2 the question was bad, 4 the
cluster could not be read.`,
		Example: `  # every node of the cluster, again and again
  affinityctl nodes --watch

  # everything about one, of a dump
  affinityctl nodes node-a --snapshot dump.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.snapshots, "snapshot", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.watch, "watch", "w", false, "show again every 5 seconds")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringP("namespace", "n", "", "ignored: nodes have no namespace")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *nodesOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.show(cmd, args); err != nil || !o.watch {
		return err
	}
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil
		case <-ticker.C:
			fmt.Fprintln(cmd.OutOrStdout())
			if err := o.show(cmd, args); err != nil {
				return err
			}
		}
	}
}

func (o *nodesOptions) show(cmd *cobra.Command, args []string) error {
	objects, known, err := o.read(cmd)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return o.list(cmd.OutOrStdout(), nodes.List(objects, known))
	}
	at := slices.IndexFunc(objects, func(n corev1.Node) bool { return n.Name == args[0] })
	if at < 0 {
		return exit{code: exitNo, err: fmt.Errorf("node %q not found", args[0])}
	}
	return o.one(cmd.OutOrStdout(), &objects[at], known)
}

func (o *nodesOptions) read(cmd *cobra.Command) ([]corev1.Node, []v1alpha1.AffinityClass, error) {
	if len(o.snapshots) == 0 {
		cluster, err := live.Connect(o.kubeconfig, o.context)
		if err != nil {
			return nil, nil, exit{code: exitCluster, err: err}
		}
		objects, known, err := cluster.Nodes(cmd.Context())
		if err != nil {
			return nil, nil, exit{code: exitCluster, err: err}
		}
		return objects, known, nil
	}
	var in classes.Input
	source := input.Source{Stdin: cmd.InOrStdin(), Recursive: o.recursive}
	err := source.Each(o.snapshots, func(d *manifest.Document) error { return pick(&in, d) })
	if err != nil {
		return nil, nil, badQuestion(err)
	}
	return in.Nodes, in.Classes, nil
}

func (o *nodesOptions) list(w io.Writer, found []nodes.Node) error {
	if o.format != output.Text {
		return output.Object(w, o.format, map[string]any{"nodes": found})
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
	return output.Table(w, []string{"NAME", "READY", "SCHEDULABLE", "TAINTS", "ADDRESSES", "CLASSES"}, rows)
}

func joined(all []string) string { return cmp.Or(strings.Join(all, ","), "-") }

func (o *nodesOptions) one(w io.Writer, object *corev1.Node, known []v1alpha1.AffinityClass) error {
	if o.format != output.Text {
		object.APIVersion, object.Kind = "v1", "Node" // items of a typed list come without
		return output.Object(w, o.format, object)
	}
	n := nodes.List([]corev1.Node{*object}, known)[0]
	var b strings.Builder
	for _, line := range [][2]string{
		{"Name", n.Name}, {"Ready", n.Ready}, {"Schedulable", strconv.FormatBool(n.Schedulable)},
		{"Taints", joined(n.Taints)}, {"Addresses", joined(n.Addresses)}, {"Classes", joined(n.Classes)},
		{"Allocatable", nodes.Quantities(object.Status.Allocatable)}, {"Labels", nodes.Labels(object.Labels)},
	} {
		fmt.Fprintf(&b, "%-13s%s\n", line[0]+":", cmp.Or(line[1], "-"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
