package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/preview"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type previewOptions struct {
	files, snapshots    []string
	nodes, priorities   []string
	replicas            int
	explain, recursive  bool
	profile, namespace  string
	kubeconfig, context string
	format              output.Format
}

func newPreview() *cobra.Command {
	o := &previewOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "preview -f FILE...",
		Short: "Say where Pods could land, and why not elsewhere",
		Long: `Say on which nodes the Pods of manifests could land, which they would take, and
why not the others; of a cluster or, with --snapshot, of what
"kubectl get nodes,pods,namespaces -A -o yaml" printed. Nothing is written.

Exit codes: 0 every Pod fits, 1 one can never, as things stand, 2 the question
was bad, 3 one would fit if resources were free, 4 the cluster could not be read.`,
		Example: `  # where the Pods of a Deployment could go
  affinityctl preview -f web.yaml

  # the same of a dump, with every reason of every node
  affinityctl preview -f web.yaml --snapshot dump.yaml.gz --explain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory with what is to be placed, - for standard input; may be repeated")
	f.StringArrayVar(&o.snapshots, "snapshot", nil, "file or directory to read instead of a cluster; may be repeated")
	f.StringArrayVar(&o.nodes, "node", nil, "consider this node alone; may be repeated")
	f.StringArrayVar(&o.priorities, "priority", nil, "what if: NAME=N or KIND/NAME=N; may be repeated")
	f.IntVar(&o.replicas, "replicas", 0, "Pods of each workload, whatever it asks for")
	f.BoolVar(&o.explain, "explain", false, "judge every node at every stage")
	f.StringVar(&o.profile, "profile", string(placement.LeastLoaded), "how to score: LeastLoaded")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
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
	asked, err := priorities(o.priorities)
	if err != nil {
		return badQuestion(err)
	}
	world, err := o.world(cmd)
	if err != nil {
		return err
	}
	wanted, err := o.requests(cmd, world, asked)
	if err != nil {
		return badQuestion(err)
	}
	report := preview.New(placement.Rank(world, wanted, placement.Options{Nodes: o.nodes, Explain: o.explain}))
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

func (o *previewOptions) write(cmd *cobra.Command, report *preview.Report) error {
	if o.format == output.Text {
		return report.Text(cmd.OutOrStdout())
	}
	return output.Object(cmd.OutOrStdout(), o.format, report)
}

// world is what is there, of files or of a cluster.
func (o *previewOptions) world(cmd *cobra.Command) (*placement.Snapshot, error) {
	if len(o.snapshots) > 0 {
		s := placement.NewSnapshot()
		err := o.source(cmd).Each(o.snapshots, func(d *manifest.Document) error {
			return snapshot.Add(s, d.Object.GroupKind, d.JSON)
		})
		if err != nil {
			return nil, badQuestion(err)
		}
		return s, nil
	}
	cluster, err := live.Connect(o.kubeconfig, o.context)
	if err != nil {
		return nil, exit{code: exitCluster, err: err}
	}
	s, err := cluster.Snapshot(cmd.Context())
	if err != nil {
		return nil, exit{code: exitCluster, err: err}
	}
	return s, nil
}

func (o *previewOptions) source(cmd *cobra.Command) input.Source {
	return input.Source{Stdin: cmd.InOrStdin(), Namespace: o.namespace, Recursive: o.recursive}
}

// requests makes the Pods that the files ask for.
func (o *previewOptions) requests(cmd *cobra.Command, world *placement.Snapshot, asked *whatIf) ([]*placement.Request, error) {
	copies := placement.Copies{Nodes: world.NodeNames()}
	if cmd.Flags().Changed("replicas") {
		if o.replicas < 0 {
			return nil, fmt.Errorf("--replicas %d is less than 0", o.replicas)
		}
		copies.Replicas = &o.replicas
	}
	var all []*placement.Request
	pods := false
	err := o.source(cmd).Each(o.files, func(d *manifest.Document) error {
		text, err := named(d)
		if err != nil {
			return err
		}
		found, ok, err := placement.FromObject(text, copies)
		pods = pods || ok
		all = append(all, asked.apply(d.Object.Kind, d.Object.Name, found)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !pods {
		return nil, errors.New("nothing to place: no Pod, workload or Machine in the files")
	}
	return all, asked.unused()
}
