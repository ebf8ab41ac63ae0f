package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type checkOptions struct {
	files, classes []string
	class          string
	namespace      string
	recursive      bool
	format         output.Format
}

func newCheck() *cobra.Command {
	o := &checkOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "check -f FILE...",
		Short: "Judge every Pod and Pod template of manifests as the server would",
		Long: `Judge every Pod and Pod template of manifests as the admission server would.

AffinityClasses, Tenants, HelmReleases and Namespaces found in the input count, and
the first three are judged by the rules of their admission. A HelmRelease is given
its class as the server would give it; a tenant's Pods are held to what it may use. Without --class, a Pod belongs to the
class of the HelmRelease that its owners or Flux labels lead to. A namespace is
judged in mode deny, unless the input has it with another.

Exit codes: 0 all may pass, 1 something is denied or could not be told, 2 the
question was bad.`,
		Example: `  # hold a Deployment to class dc1
  affinityctl check -f deployment.yaml --classes classes/ --class dc1

  # judge what a pipeline renders
  kustomize build . | affinityctl check -f - --classes classes.yaml -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to judge, - for standard input; may be repeated")
	f.StringArrayVar(&o.classes, "classes", nil, "file or directory of AffinityClasses and other context, which is not judged; may be repeated")
	f.StringVar(&o.class, "class", "", "hold every Pod to this AffinityClass, whatever release it has")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that name none")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *checkOptions) run(cmd *cobra.Command) error {
	if len(o.files) == 0 {
		return badQuestion(fmt.Errorf("name what to judge with -f FILE, -f DIR or -f -"))
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
	kinds := check.NewKinds(workload.Operators())
	items, err := input.Parallel(source, o.files, input.Work[check.Item]{Reduce: kinds.Item, Number: (*check.Item).Number})
	if err != nil {
		return nil, err
	}
	var context []manifest.Document
	if len(o.classes) > 0 {
		if context, err = source.Read(o.classes); err != nil {
			return nil, err
		}
	}
	return check.Run(cmd.Context(), check.Input{Items: items, Context: context, Class: o.class})
}

func (o *checkOptions) write(w io.Writer, report *check.Report) error {
	if o.format != output.Text {
		return output.Object(w, o.format, report)
	}
	rows := make([]output.Row, 0, len(report.Results))
	for _, result := range report.Results {
		rows = append(rows, row(result))
	}
	if len(rows) > 0 {
		if err := output.Table(w, []string{"VERDICT", "CODE", "OBJECT", "CLASS", "RELEASE"}, rows); err != nil {
			return err
		}
	}
	for _, note := range report.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	s := report.Summary
	_, err := fmt.Fprintf(w, "%d allowed, %d denied, %d warned, %d not governed, %d unknown\n",
		s.Allowed, s.Denied, s.Warned, s.NotGoverned, s.Unknown)
	return err
}

func row(result check.Result) output.Row {
	code := "-"
	if result.Code != 0 {
		code = strconv.Itoa(int(result.Code))
	}
	object := result.Object.Kind + " " + result.Object.Name
	if result.Object.Namespace != "" {
		object = result.Object.Kind + " " + result.Object.Namespace + "/" + result.Object.Name
	}
	return output.Row{
		Cells: []string{string(result.Verdict), code, object, cmp.Or(result.Class, "-"), cmp.Or(result.Release, "-")},
		Note:  result.Message,
	}
}
