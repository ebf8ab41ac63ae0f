package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chart"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

type checkOptions struct {
	files, classes []string
	class          string
	namespace      string
	paths          []string
	chart          chart.Options
	recursive      bool
	format         output.Choice
}

func newCheck() *cobra.Command {
	o := &checkOptions{format: output.Choice{Format: output.Text, More: []output.Format{junit, sarif}}}
	cmd := &cobra.Command{
		Use:   "check (-f FILE | --chart DIR)...",
		Short: "Judge every Pod and Pod template of manifests or a chart as the server would",
		Long: `Judge every Pod and Pod template of manifests, or of what a chart renders, as
the admission server would.

AffinityClasses, Tenants, HelmReleases and Namespaces found in the input count,
wherever they stand in it, and the first three are judged by the rules of their
admission. A HelmRelease is given its class as the server would give it; a
tenant's Pods are held to what it may use. Without --class, a Pod belongs to the
class of the HelmRelease that its owners or Flux labels lead to. A namespace is
judged in mode deny, unless the input has it with another.

Of the custom resources of operators, what becomes the constraints of their Pods
is judged; --paths adds kinds. A kind that seems to make Pods and is not known is
named as not checked, and counts as unknown.

A chart is rendered as the platform would install it in the class: with the class
as _scheduling among its values, hooks and subcharts included, and no cluster to
look anything up in. Results name the lines of the templates.

Exit codes: 0 all may pass, 1 something is denied or could not be told, 2 the
question was bad: nothing is judged when a part cannot be read, when there is no
object in the input, or when no file has the class of --class.`,
		Example: `  # hold a Deployment to class dc1
  affinityctl check -f deployment.yaml --classes classes/ --class dc1

  # judge what a pipeline renders
  kustomize build . | affinityctl check -f - --classes classes.yaml -o json

  # judge a chart as a release in class dc1 would have it
  affinityctl check --chart . --values values-ci.yaml --classes classes/ --class dc1

  # the same, as remarks beside the lines of its templates
  affinityctl check --chart . --classes classes/ --class dc1 -o sarif > affinity.sarif

  # with a custom resource of an operator that is not known here
  affinityctl check -f cache.yaml --paths paths.yaml --classes classes/ --class dc1`,
		Args: filesByFlag,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to judge, - for standard input; may be repeated")
	f.StringArrayVar(&o.classes, "classes", nil, "file or directory of AffinityClasses and other context, which is not judged; may be repeated")
	f.StringVar(&o.class, "class", "", "hold every Pod to this AffinityClass, whatever release it has")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringArrayVar(&o.paths, "paths", nil, "file that says where kinds of custom resources keep what their Pods get; may be repeated")
	o.chartFlags(cmd)
	f.VarP(&o.format, "output", "o", "text, json, yaml, junit or sarif")
	return cmd
}

func (o *checkOptions) run(cmd *cobra.Command) error {
	if len(o.files) == 0 && o.chart.Dir == "" {
		return badQuestion(fmt.Errorf("name what to judge with -f FILE, -f DIR, -f - or --chart DIR"))
	}
	if err := o.chartOnly(cmd); err != nil {
		return badQuestion(err)
	}
	report, err := o.judge(cmd)
	if err != nil {
		return badQuestion(err)
	}
	if err := o.write(cmd.OutOrStdout(), report); err != nil {
		return err
	}
	if !report.OK() {
		return exit{code: exitNo}
	}
	return nil
}

func (o *checkOptions) judge(cmd *cobra.Command) (*check.Report, error) {
	source := input.Source{Stdin: cmd.InOrStdin(), Namespace: o.namespace, Recursive: o.recursive}
	table, err := customKinds(o.paths)
	if err != nil {
		return nil, err
	}
	kinds := check.NewKinds(table)
	in := check.Input{Class: o.class}
	in.Items, err = input.Parallel(source, o.files, input.Work[check.Item]{Reduce: kinds.Item, Number: (*check.Item).Number})
	if err != nil {
		return nil, err
	}
	if in.Context, err = source.Read(o.classes); err != nil {
		return nil, err
	}
	if o.chart.Dir != "" {
		return o.judgeChart(cmd, kinds, in)
	}
	if err := answerable(&in); err != nil {
		return nil, err
	}
	return check.Run(cmd.Context(), in)
}

// answerable refuses what would be answered with yes because nothing was asked: the
// output of a failed render is empty. A class that no file has cannot be held against
// anything.
func answerable(in *check.Input) error {
	if len(in.Items) == 0 {
		return errors.New("nothing to check: no object in the files")
	}
	if in.Class == "" {
		return nil
	}
	if _, err := in.Compiled(in.Class); errors.Is(err, policy.ErrClassNotFound) {
		return fmt.Errorf("%w; give its file with --classes", err)
	}
	return nil
}

// customKinds is the table of operators, with what the files add to it.
func customKinds(files []string) (*workload.Table, error) {
	table := workload.Operators()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		entries, err := check.ReadPaths(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		table = table.With(entries...)
	}
	return table, nil
}
