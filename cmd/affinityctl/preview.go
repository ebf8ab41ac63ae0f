package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/preview"
)

type previewOptions struct {
	kubeFlags
	files, snapshots   []string
	nodes, priorities  []string
	replicas           int
	explain, recursive bool
	profile            string
	format             output.Format
}

func newPreview() *cobra.Command {
	o := &previewOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "preview -f FILE...",
		Short: "Say where Pods could land, and why not elsewhere",
		Long: `Say on which nodes the Pods of manifests could land, which they would take, and
why not the others; of a cluster or, with --snapshot, of what
"kubectl get nodes,pods,namespaces,resourcequotas,priorityclasses -A -o yaml"
printed. What a snapshot lacks and the answer needs is said in a note. Nothing is
written. Admission is not asked: "affinityctl why -f FILE" says whether it would let
them in.

A workload gives the Pods it asks for, a DaemonSet one for each node, a Pod or a
Machine itself. With --replicas N each gives N instead, a Pod or a Machine as NAME-0,
NAME-1 and so on; a DaemonSet stays with one for each node.

An object without a namespace gets that of -n, else that of the kubeconfig's
context, or "default" where a snapshot is asked.

Exit codes: 0 every Pod fits, 1 one can never, as things stand, 2 the question
was bad, 3 one would fit if resources were free, 4 the cluster could not be read.`,
		Example: `  # where the Pods of a Deployment could go
  affinityctl preview -f web.yaml

  # the same of a dump, with every reason of every node
  affinityctl preview -f web.yaml --snapshot dump.yaml.gz --explain

  # how many more of a Pod there is room for
  affinityctl preview -f pod.yaml --replicas 20`,
		Args: filesByFlag,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory with what is to be placed, - for standard input; may be repeated")
	f.StringArrayVar(&o.snapshots, "snapshot", nil, "file or directory to read instead of a cluster; may be repeated")
	f.StringArrayVar(&o.nodes, "node", nil, "consider this node alone; may be repeated")
	f.StringArrayVar(&o.priorities, "priority", nil, "what if: NAME=N or KIND/NAME=N; may be repeated")
	f.IntVar(&o.replicas, "replicas", 0, "Pods of each object, whatever it asks for; not of a DaemonSet")
	f.BoolVar(&o.explain, "explain", false, "judge every node at every stage")
	f.StringVar(&o.profile, "profile", string(placement.LeastLoaded), "how to score: LeastLoaded")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of objects that name none")
	o.bind(f)
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *previewOptions) run(cmd *cobra.Command) error {
	if len(o.files) == 0 {
		return badQuestion(errors.New("nothing to place: name a file with -f"))
	}
	if o.profile != string(placement.LeastLoaded) {
		return badQuestion(fmt.Errorf("profile %q is not known; there is %s", o.profile, placement.LeastLoaded))
	}
	if err := input.Once(append(o.files, o.snapshots...)...); err != nil {
		return badQuestion(err)
	}
	asked, err := priorities(o.priorities)
	if err != nil {
		return badQuestion(err)
	}
	world, err := o.world(cmd)
	if err != nil {
		return err
	}
	if err := o.knownNodes(world.snapshot.NodeNames()); err != nil {
		return badQuestion(err)
	}
	wanted, err := o.requests(cmd, world, asked)
	if err != nil {
		return badQuestion(err)
	}
	report := preview.New(placement.Rank(world.snapshot, wanted, placement.Options{Nodes: o.nodes, Explain: o.explain}))
	report.Notes = world.notes()
	if err := o.write(cmd, report); err != nil {
		return err
	}
	switch report.Worst() {
	case placement.Unsatisfiable:
		return exit{code: exitNo}
	case placement.NoCapacity:
		return exit{code: exitCapacity}
	}
	return nil
}

// knownNodes refuses a --node that there is not: a slip of the pen must not look
// like "no candidate".
func (o *previewOptions) knownNodes(known []string) error {
	var unknown []string
	for _, name := range o.nodes {
		if !slices.Contains(known, name) {
			unknown = append(unknown, fmt.Sprintf("%q", name))
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("--node: there is no node %s", strings.Join(unknown, " and no node "))
	}
	return nil
}

func (o *previewOptions) write(cmd *cobra.Command, report *preview.Report) error {
	out := cmd.OutOrStdout()
	if o.format == output.Text {
		return report.Text(out, output.Width(out))
	}
	return output.Object(out, o.format, report)
}
