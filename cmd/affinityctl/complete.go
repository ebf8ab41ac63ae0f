package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

// patience is how long a shell waits for the names of a cluster.
const patience = 3 * time.Second

// completions gives a shell the values that flags take. No verb takes a file but by a
// flag, so none is offered as an argument.
func completions(cmd *cobra.Command) error {
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	var failed error
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		values := valuesOf(flag)
		if len(values) == 0 || failed != nil {
			return
		}
		if _, known := cmd.GetFlagCompletionFunc(flag.Name); !known {
			failed = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, verb := range cmd.Commands() {
		if failed == nil && verb.Name() != "completion" {
			failed = completions(verb)
		}
	}
	return failed
}

// valuesOf are the values of a flag that takes a few known ones.
func valuesOf(flag *pflag.Flag) []string {
	switch value := flag.Value.(type) {
	case *output.Format:
		return formats()
	case *output.Choice:
		return formats(value.More...)
	case *drainFormat:
		return formats(manifestFormat)
	case *failOn:
		return findings()
	case *mode:
		return []string{string(policy.Deny), string(policy.Warn), string(policy.Audit)}
	}
	if flag.Name == "profile" {
		return []string{string(placement.LeastLoaded)}
	}
	return nil
}

func formats(more ...output.Format) []string {
	var names []string
	for _, format := range append([]output.Format{output.Text, output.JSON, output.YAML}, more...) {
		names = append(names, string(format))
	}
	return names
}

// nodeNames are the names that the cluster, or the snapshot, has. What cannot be read
// now offers none: the verb itself says why.
func (o *nodesOptions) nodeNames(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || slices.Contains(o.snapshots, "-") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, done := context.WithTimeout(cmd.Context(), patience)
	defer done()
	cmd.SetContext(ctx)
	in, err := o.read(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for i := range in.Nodes {
		names = append(names, in.Nodes[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp // flags are parsed twice on this way
}
