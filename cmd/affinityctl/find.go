package main

import (
	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/binary"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type findOptions struct {
	files               []string
	namespace           string
	all, recursive      bool
	kubeconfig, context string
	format              output.Format
}

func newFind() *cobra.Command {
	o := &findOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "find [-f FILE...]",
		Short: "List every stored value that is written with weights",
		Long: `List every value that is written with weights, of the Pods and the workloads of a
cluster or, with -f, of files. What cannot be read is listed too and passed over.
Read with the user's own rights; nothing is written.

Exit codes: 0 there is none, 1 there are some, 2 the question was bad, 4 the
cluster could not be read.`,
		Example: `  # all that is to be converted before the form with weights is removed
  affinityctl binary find -A

  # in what a pipeline renders
  kustomize build . | affinityctl binary find -f -`,
		Args: filesByFlag,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace to read; the context's when left out")
	f.BoolVarP(&o.all, "all-namespaces", "A", false, "read every namespace")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig")
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *findOptions) run(cmd *cobra.Command) error {
	report := binary.NewReport()
	read := o.fromFiles
	if len(o.files) == 0 {
		read = o.fromCluster
	}
	if err := read(cmd, report); err != nil {
		return err
	}
	if err := o.write(cmd, report); err != nil {
		return err
	}
	if report.Summary.Weighted > 0 {
		return exit{code: exitNo}
	}
	return nil
}

func (o *findOptions) write(cmd *cobra.Command, report *binary.Report) error {
	if o.format == output.Text {
		return report.Text(cmd.OutOrStdout())
	}
	return output.Object(cmd.OutOrStdout(), o.format, report)
}

func (o *findOptions) fromFiles(cmd *cobra.Command, report *binary.Report) error {
	source := input.Source{Stdin: cmd.InOrStdin(), Namespace: o.namespace, Recursive: o.recursive}
	err := source.Each(o.files, func(d *manifest.Document) error {
		report.Add(refOf(d), d.JSON)
		return nil
	})
	if err != nil {
		return badQuestion(err)
	}
	return nil
}

func (o *findOptions) fromCluster(cmd *cobra.Command, report *binary.Report) error {
	cluster, err := connect(o.kubeconfig, o.context)
	if err != nil {
		return err
	}
	namespace := o.namespace
	switch {
	case o.all:
		namespace = ""
	case namespace == "":
		namespace = cluster.Namespace()
	}
	if err := inNamespace(cmd.Context(), cluster, namespace); err != nil {
		return err
	}
	report.Namespace = namespace
	err = cluster.Bearers(cmd.Context(), namespace, func(ref placement.Ref, object []byte) error {
		report.Add(ref, object)
		return nil
	})
	if err != nil {
		return exit{code: exitCluster, err: err}
	}
	report.Sort()
	return nil
}

func refOf(d *manifest.Document) placement.Ref {
	return placement.Ref{APIVersion: d.APIVersion, Kind: d.Object.Kind, Namespace: d.Object.Namespace, Name: d.Object.Name}
}
