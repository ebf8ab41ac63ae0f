package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/why"
	"github.com/cozystack/affinityclass/webhook/review"
)

type whyOptions struct {
	kubeFlags
	files     []string
	recursive bool
	mode      mode
	format    output.Format
}

func newWhy() *cobra.Command {
	o := &whyOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "why KIND/NAME | KIND NAME | -f FILE...",
		Short: "Say why a Pod is let in, warned about or refused, and what to do",
		Long: `Say what the admission server decides about a Pod of the cluster, or about a Pod of
a workload's template: its lineage, class and contract, every violation with what
mends it, the labels that admission would set, and, of a Pod that waits for a node,
where it could land. With -f the same of Pods and workloads that may not exist yet,
as if they were created in the cluster now. Nothing is written.

It reads with your own rights. What you may not read is "could not tell", never a
verdict. AffinityExemptions go by who creates a Pod and are not applied.

Exit codes: 0 it may pass, 1 it is refused, or there is no such object, 2 the
question was bad, 4 it could not be told.`,
		Example: `  # a Pod that runs, or waits
  affinityctl why pod/web-0 -n shop

  # what the Pods of a Deployment are told, in the form of kubectl
  affinityctl why deployment web -n shop

  # a Pod that is yet to be
  affinityctl why -f pod.yaml -n shop`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory of what is to be created, - for standard input; may be repeated")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object, and of those that name none")
	f.Var(&o.mode, "mode", "judge as in a namespace of this mode: deny, warn or audit")
	o.bind(f)
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *whyOptions) run(cmd *cobra.Command, args []string) error {
	object, err := objectOf(args)
	switch {
	case err != nil:
		return badQuestion(err)
	case object == "" && len(o.files) == 0:
		return badQuestion(errors.New("name what to judge: KIND/NAME, such as pod/web-0, or files with -f"))
	case object != "" && len(o.files) > 0:
		return badQuestion(fmt.Errorf("name what to judge by %s or by -f, not both", object))
	}
	asker, err := o.asker(cmd)
	if err != nil {
		return err
	}
	report := &why.Report{Items: []why.Item{}}
	if object != "" {
		err = asker.stored(report, object)
	} else {
		err = asker.planned(report, o)
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if o.format == output.Text {
		err = report.Text(out, output.Width(out))
	} else {
		err = output.Object(out, o.format, report)
	}
	if err != nil {
		return err
	}
	switch report.Worst() {
	case review.Unknown:
		return exit{code: exitCluster}
	case review.Denied:
		return exit{code: exitNo}
	}
	return nil
}

// mode is the value of --mode.
type mode policy.Mode

// Set makes mode a flag.
func (m *mode) Set(value string) error {
	if !slices.Contains([]policy.Mode{policy.Deny, policy.Warn, policy.Audit}, policy.Mode(value)) {
		return fmt.Errorf("must be one of %s, %s, %s", policy.Deny, policy.Warn, policy.Audit)
	}
	*m = mode(value)
	return nil
}

func (m *mode) String() string { return string(*m) }

// Type is shown in the help.
func (m *mode) Type() string { return "mode" }
