package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/drain"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type drainOptions struct {
	snapshots, same      []string
	limit, inUse         string
	wholeNode, absorb    bool
	recursive            bool
	image, priorityClass string
	namespace            string
	kubeconfig, context  string
	format               drainFormat
}

func newDrain() *cobra.Command {
	o := &drainOptions{format: drainFormat(output.Text)}
	cmd := &cobra.Command{
		Use:   "drain NODE",
		Short: "Size the reservation that a drain needs, and say what it is worth",
		Long: `Size the placeholder Pod that reserves room before a node is drained, and say
which nodes could take it and whether the Pods that leave could really run there,
or anywhere else; of a cluster or, with --snapshot, of what "kubectl get -A -o yaml
nodes,pods,namespaces,resourcequotas,priorityclasses,poddisruptionbudgets,affinityclasses"
printed; what such a dump lacks is noted, and one without any Pods is refused.
Nothing is written and nothing is evicted: -o manifest prints the
placeholder, to be applied once the node is cordoned. Its image is the one of
--image; what the nodes tell of their images is not taken for it, as anyone who
may run a Pod has a say in that.

The placeholder asks for what the Pods request. With --whole-node it asks for all
that the node has beside its DaemonSets, which narrows the set of occupied hosts
that take it and then refuse a Pod; the report names those that are left. Without
the flag, it does so when every AffinityClass that contains the node sets
spec.surge.wholeNodeReservation.

Exit codes: 0 whatever was found, 1 with --require-absorb when some Pod has no
place or nothing can be reserved (-o manifest prints nothing then), and with
-o manifest when the reservation is refused, 2 the question was bad, 4 the cluster could not be read.`,
		Example: `  # what would happen to the Pods of n1
  affinityctl drain n1

  # reserve room for them
  kubectl cordon n1
  affinityctl drain n1 --whole-node -o manifest --image example.com/pause:3 | kubectl apply -f -`,
		Args: cobra.ExactArgs(1),
		RunE: o.run,
	}
	f := cmd.Flags()
	f.BoolVar(&o.wholeNode, "whole-node", false, "ask for all that the node has beside its DaemonSets; wins over the classes of the node")
	f.StringArrayVar(&o.same, "require-same", nil, "label whose value a host must share with the node; may be repeated")
	f.StringVar(&o.limit, "limit", "", "limit to hold the reservation to, such as cpu=64,memory=256Gi; a check beforehand, not an invariant")
	f.StringVar(&o.inUse, "in-use", "", "what is in use of the limit; nothing by default")
	f.BoolVar(&o.absorb, "require-absorb", false, "exit with 1 when a node that could take the reservation refuses a Pod or, if none could, the rest of the cluster does")
	f.StringVar(&o.image, "image", "", "image of the placeholder, one that only waits, such as the pause image of your nodes; -o manifest needs it")
	f.StringVar(&o.priorityClass, "priority-class", "", "PriorityClass of the placeholder; one of low value lets the Pods that leave preempt it")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of the placeholder")
	f.StringArrayVar(&o.snapshots, "snapshot", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
	f.VarP(&o.format, "output", "o", "text, json, yaml or manifest")
	return cmd
}

func (o *drainOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.placeholder(cmd); err != nil {
		return badQuestion(err)
	}
	budget, err := o.budget()
	if err != nil {
		return badQuestion(err)
	}
	world, err := o.world(cmd, args[0])
	if err != nil {
		return err
	}
	lacking, err := world.Lacking()
	if err != nil {
		return badQuestion(err)
	}
	known := drain.Known{Lacking: lacking}
	audit, err := surge.Audit(&surge.Question{
		Snapshot: world.Snapshot, Survey: world.Survey, Mode: o.mode(cmd, world, &known), Budget: budget,
		Placeholder: surge.Placeholder{Namespace: o.namespace, Image: o.image, PriorityClass: o.priorityClass, Same: o.same},
	})
	if errors.Is(err, surge.ErrNoNode) {
		err = fmt.Errorf("node %q not found", args[0])
	}
	if err != nil {
		return badQuestion(err)
	}
	report := drain.New(audit, known)
	short := o.absorb && !report.Covered()
	if short && o.format == drainFormat(manifestFormat) && report.HasManifest() {
		return exit{code: exitNo, err: fmt.Errorf("no placeholder for %s is printed: it would not give every Pod a place, as --require-absorb asks; -o text says why", report.Candidate)}
	}
	if err := o.write(cmd, report); err != nil {
		return err
	}
	if short {
		return exit{code: exitNo}
	}
	return nil
}

// mode is the flag's, else that of the classes.
func (o *drainOptions) mode(cmd *cobra.Command, world *drain.World, known *drain.Known) surge.Mode {
	whole := o.wholeNode
	if !cmd.Flags().Changed("whole-node") {
		var classes []string
		if whole, classes = world.WholeNode(); whole {
			known.Classes = classes
		}
	}
	if whole {
		return surge.WholeNode
	}
	return surge.DrainSized
}

func (o *drainOptions) write(cmd *cobra.Command, report *drain.Report) error {
	out := cmd.OutOrStdout()
	switch format := output.Format(o.format); {
	case format == output.Text:
		return report.Text(out)
	case format != manifestFormat:
		return output.Object(out, format, report)
	case report.HasManifest():
		return report.Manifest(out)
	case len(report.Refused) > 0:
		return exit{code: exitNo, err: fmt.Errorf("no placeholder for %s: %s", report.Candidate, report.Refused[0].Reason)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "no Pod of %s has to land elsewhere: there is nothing to reserve\n", report.Candidate)
	return nil
}

// world is what is there, of files or of a cluster.
func (o *drainOptions) world(cmd *cobra.Command, node string) (*drain.World, error) {
	w := drain.NewWorld(node)
	if len(o.snapshots) > 0 {
		w.Seen = snapshot.NewSeen()
		source := input.Source{Stdin: cmd.InOrStdin(), Namespace: "default", Recursive: o.recursive}
		err := source.Each(o.snapshots, func(d *manifest.Document) error {
			text, err := existing(d)
			if err != nil {
				return err
			}
			w.Seen.Object(d.Object.GroupKind, d.Object.Namespace, d.Object.Name, text)
			return w.Add(d.Object.GroupKind, text)
		})
		if err != nil {
			return nil, badQuestion(err)
		}
		return w, nil
	}
	cluster, err := live.Connect(o.kubeconfig, o.context)
	if err == nil {
		err = cluster.Drain(cmd.Context(), w)
	}
	if err != nil {
		return nil, exit{code: exitCluster, err: err}
	}
	return w, nil
}
