package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chain"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type lineageOptions struct {
	kubeFlags
	files     []string
	recursive bool
	format    output.Format
}

func newLineage() *cobra.Command {
	o := &lineageOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "lineage KIND/NAME | KIND NAME",
		Short: "Show the chain from an object up to its HelmRelease",
		Long: `Show the chain from an object up to the HelmRelease that deployed it, each hop
with how it was found, and the release or the reason why there is none; in a
cluster or, with -f, in files such as what
"kubectl get pods,replicasets,deployments,statefulsets,daemonsets,jobs,cronjobs,helmreleases -A -o yaml"
prints, with the kinds of other owners, such as custom resources of operators, beside
them. Nothing is written.

Exit codes: 0 one release was reached, 1 none or several, or no such object,
2 the question was bad, 4 a hop or the cluster could not be read.`,
		Example: `  # the chain of a Pod
  affinityctl lineage pod/web-0 -n shop

  # the same in a dump
  affinityctl lineage pod/web-0 -n shop -f dump.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			object, err := objectOf(args)
			if err == nil && object == "" {
				err = errNoObject
			}
			if err != nil {
				return badQuestion(err)
			}
			return o.run(cmd, object)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "file or directory to read instead of a cluster, - for standard input; may be repeated")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "look into the directories of a directory")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object")
	o.bind(f)
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *lineageOptions) run(cmd *cobra.Command, arg string) error {
	asked, err := parseNamed(arg)
	if err != nil {
		return badQuestion(err)
	}
	find := o.inCluster
	if len(o.files) > 0 {
		find = o.inFiles
	}
	object, get, err := find(cmd, asked)
	if err != nil {
		return err
	}
	report := chain.New(object, lineage.Trace(cmd.Context(), object, get))
	out := cmd.OutOrStdout()
	if o.format == output.Text {
		err = report.Text(out, output.Width(out))
	} else {
		err = output.Object(out, o.format, report)
	}
	switch {
	case err != nil:
		return err
	case report.Outcome == "Unknown":
		return exit{code: exitCluster, err: errors.New("could not tell: " + report.Why)}
	case report.Outcome != "Resolved":
		return exit{code: exitNo}
	}
	return nil
}

// inFiles finds the object, and what reads the others, in files.
func (o *lineageOptions) inFiles(cmd *cobra.Command, asked named) (*lineage.Object, lineage.Getter, error) {
	if err := input.Once(o.files...); err != nil {
		return nil, nil, badQuestion(err)
	}
	namespace := o.namespace
	if namespace == "" {
		namespace = "default"
	}
	documents, err := input.Source{Stdin: cmd.InOrStdin(), Namespace: namespace, Recursive: o.recursive}.Read(o.files)
	if err != nil {
		return nil, nil, badQuestion(err)
	}
	var found *lineage.Object
	for i := range documents {
		object := documents[i].Object
		if asked.is(object) && (object.Namespace == namespace || object.Namespace == "") {
			found = object
		}
	}
	if found == nil {
		return nil, nil, exit{code: exitNo, err: fmt.Errorf("%s not found in namespace %s of the files", asked, namespace)}
	}
	return found, manifest.NewIndex(documents...), nil
}

// inCluster finds them in the cluster.
func (o *lineageOptions) inCluster(cmd *cobra.Command, asked named) (*lineage.Object, lineage.Getter, error) {
	cluster, err := o.connect()
	if err != nil {
		return nil, nil, err
	}
	reads, err := cluster.Lineage(nil)
	if err != nil {
		return nil, nil, unread(err)
	}
	kind, namespaced, err := cluster.Kind(asked.kind)
	if err != nil {
		return nil, nil, noKind(err)
	}
	ref := lineage.Ref{GroupKind: kind.GroupKind(), Name: asked.name}
	if namespaced {
		ref.Namespace = o.namespace
	}
	get := reads.Begin(o.namespace).Live()
	object, err := get.Get(cmd.Context(), ref)
	switch {
	case errors.Is(err, lineage.ErrNotFound):
		return nil, nil, exit{code: exitNo, err: fmt.Errorf("%s not found in namespace %s", asked, o.namespace)}
	case err != nil:
		return nil, nil, unread(err)
	}
	return object, get, nil
}

// noKind tells a kind that is not there from a cluster that did not say.
func noKind(err error) error {
	if errors.Is(err, live.ErrNoKind) {
		return badQuestion(err)
	}
	return unread(err)
}
