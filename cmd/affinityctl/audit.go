package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/audit"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/judge"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/progress"
)

type auditOptions struct {
	kubeFlags
	everywhere bool
	failOn     failOn
	mode       mode
	format     output.Format
}

func newAudit() *cobra.Command {
	o := &auditOptions{format: output.Text, failOn: failOn{"denied", "unknown"}, mode: mode(policy.Deny)}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List running Pods that would be denied, or are outside their class",
		Long: `Judge every Pod that has not finished as if it were created now, in mode deny whatever
its namespace's labels say, and list by release those that would be denied or warned
about, those of which it could not be told, and those on a node outside their class,
such as one that was relabelled since. Read it before a namespace or a class is made
to deny. A workload without Pods is not judged: ask check or why about it. Nothing is
written.

It reads with your own rights, Pods and releases page by page. AffinityExemptions go
by who creates a Pod and are not applied. --fail-on says what makes the exit code 1:
one or more of denied, warned, outside and unknown, or none.

Exit codes: 0 nothing of --fail-on was found, 1 something was, 2 the question was
bad, 4 the cluster could not be read.`,
		Example: `  # the namespace of the kubeconfig's context
  affinityctl audit

  # the whole cluster, in a pipeline that also fails on Pods outside their class
  affinityctl audit -A --fail-on denied,outside,unknown -o json`,
		Args: namespaceByFlag,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the Pods; the context's when left out")
	f.BoolVarP(&o.everywhere, "all-namespaces", "A", false, "Pods of all namespaces")
	f.Var(&o.failOn, "fail-on", "what makes the exit code 1: denied, warned, outside, unknown, by commas, or none")
	f.Var(&o.mode, "mode", "judge as in a namespace of this mode: deny, warn or audit")
	o.bind(f)
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *auditOptions) run(cmd *cobra.Command) error {
	report, err := o.audit(cmd)
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
	if o.failOn.found(&report.Summary) {
		return exit{code: exitNo}
	}
	return nil
}

func (o *auditOptions) audit(cmd *cobra.Command) (*audit.Report, error) {
	cluster, err := o.connect()
	if err != nil {
		return nil, err
	}
	namespace := o.namespace
	if o.everywhere {
		namespace = ""
	}
	if err := inNamespace(cmd.Context(), cluster, namespace); err != nil {
		return nil, err
	}
	a, err := o.begin(cmd.Context(), cluster, namespace)
	if err != nil {
		return nil, unread(err)
	}
	line, done := progress.New(cmd.ErrOrStderr()), 0
	defer line.End()
	err = cluster.Pods(cmd.Context(), namespace, func(page []live.Pod, left int) error {
		if err := a.Judge(cmd.Context(), page); err != nil {
			return err
		}
		done += len(page)
		line.Say("%d Pods judged, %d to go", done, left)
		return nil
	})
	if err != nil {
		return nil, unread(err)
	}
	report := a.Report()
	report.Namespace = namespace
	return report, nil
}

// begin reads what the Pods are judged by.
func (o *auditOptions) begin(ctx context.Context, cluster *live.Cluster, namespace string) (*audit.Audit, error) {
	policies, err := cluster.Policies(ctx, namespace)
	if err != nil {
		return nil, err
	}
	releases, err := cluster.Releases(ctx, namespace)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, err // forbidden, each Pod says so for itself
	}
	owners, err := cluster.Owners(ctx, namespace)
	if err != nil {
		return nil, err
	}
	reads, err := cluster.Lineage(releases)
	if err != nil {
		return nil, err
	}
	decision := judge.New(policies, judge.Once(reads, owners), policy.Mode(o.mode), nil)
	nodes, err := cluster.NodeLabels(ctx)
	if err != nil && !apierrors.IsForbidden(err) || err != nil && slices.Contains(o.failOn, "outside") {
		return nil, err
	}
	a := audit.New(decision, policy.Mode(o.mode), nodes)
	if err != nil {
		a.Note("which Pods are on a node outside their class could not be told: " + err.Error())
	}
	for _, note := range decision.Notes() {
		a.Note(note)
	}
	return a, nil
}

// failOn is the value of --fail-on.
type failOn []string

// findings are what it may name.
func findings() []string { return []string{"denied", "warned", "outside", "unknown", "none"} }

// Set makes failOn a flag.
func (f *failOn) Set(value string) error {
	all := strings.Split(value, ",")
	for _, one := range all {
		if !slices.Contains(findings(), one) {
			return fmt.Errorf("%q is none of %s", one, strings.Join(findings(), ", "))
		}
	}
	if slices.Contains(all, "none") && len(all) > 1 {
		return errors.New("none stands alone")
	}
	*f = all
	return nil
}

func (f *failOn) String() string { return strings.Join(*f, ",") }

// Type is shown in the help.
func (f *failOn) Type() string { return "list" }

func (f *failOn) found(s *audit.Summary) bool {
	counts := map[string]int{"denied": s.Denied, "warned": s.Warned, "outside": s.Outside, "unknown": s.Unknown}
	return slices.ContainsFunc(*f, func(what string) bool { return counts[what] > 0 })
}
