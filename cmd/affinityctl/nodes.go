package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

type nodesOptions struct {
	kubeFlags
	cluster          *live.Cluster // once it is connected
	snapshots        []string
	watch, recursive bool
	every            time.Duration // between two showings with --watch
	format           output.Format
	width            int // of the terminal, 0 for none
}

func newNodes() *cobra.Command {
	return (&nodesOptions{format: output.Text, every: 5 * time.Second}).command()
}

func (o *nodesOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "nodes [NAME]",
		Short: "Show nodes with readiness, taints, addresses and AffinityClasses",
		Long: `Show nodes with readiness, taints, addresses and the AffinityClasses they belong
to, of a cluster or, with --snapshot, of what
"kubectl get nodes,affinityclasses -o yaml" printed. Nothing is written.

Exit codes: 0 good, 2 the question was bad, or there is no node of that name,
4 the cluster could not be read.`,
		Example: `  # every node of the cluster, again and again
  affinityctl nodes --watch

  # everything about one, of a dump
  affinityctl nodes node-a --snapshot dump.yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: o.nodeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.snapshots, "snapshot", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.watch, "watch", "w", false, "show again every 5 seconds, until interrupted")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "", "ignored: nodes have no namespace")
	f.BoolP("all-namespaces", "A", false, "ignored: nodes have no namespace")
	o.bind(f)
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *nodesOptions) run(cmd *cobra.Command, args []string) error {
	if err := input.Once(o.snapshots...); err != nil {
		return badQuestion(err)
	}
	if o.watch && len(o.snapshots) > 0 {
		return badQuestion(errors.New("--watch shows a cluster again and again, and a --snapshot does not change: leave one out"))
	}
	o.width = output.Width(cmd.OutOrStdout())
	if err := o.show(cmd, cmd.OutOrStdout(), args); err != nil || !o.watch {
		return err
	}
	ticker := time.NewTicker(o.every)
	defer ticker.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil
		case <-ticker.C:
			if err := o.again(cmd, args); err != nil {
				return err
			}
		}
	}
}

// again shows once more. A cluster that could be read before is waited for: whoever
// watches nodes may be restarting one.
func (o *nodesOptions) again(cmd *cobra.Command, args []string) error {
	var shown bytes.Buffer
	err := o.show(cmd, &shown, args)
	var end exit
	switch {
	case cmd.Context().Err() != nil:
		return nil
	case errors.As(err, &end) && end.code == exitCluster:
		fmt.Fprintf(cmd.ErrOrStderr(), "error: %v\n", err)
		return nil
	case err != nil:
		return err
	}
	between := "\n"
	if o.format == output.YAML {
		between = "---\n"
	}
	_, err = io.WriteString(cmd.OutOrStdout(), between+shown.String())
	return err
}
