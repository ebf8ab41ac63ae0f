package main

import (
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

func (o *classesOptions) read(cmd *cobra.Command) (classes.Input, error) {
	if len(o.files) == 0 {
		cluster, err := connect(o.kubeconfig, o.context)
		if err != nil {
			return classes.Input{}, err
		}
		in, err := cluster.Classes(cmd.Context())
		if err != nil {
			return in, exit{code: exitCluster, err: err}
		}
		return in, nil
	}
	source := input.Source{Stdin: cmd.InOrStdin(), Namespace: "default", Recursive: o.recursive}
	documents, err := source.Read(o.files)
	if err != nil {
		return classes.Input{}, badQuestion(err)
	}
	in, err := fromFiles(documents)
	if err != nil {
		return in, badQuestion(err)
	}
	o.notes = lacking(documents)
	return in, nil
}

// lacking says of which kinds there is no object in files: a count of 0 must not look
// like an answer.
func lacking(documents []manifest.Document) []string {
	seen := map[string]bool{}
	for i := range documents {
		seen[documents[i].Object.Kind] = true
	}
	var notes []string
	for _, kind := range [][2]string{
		{"Node", "the files have no Nodes: which belong to a class is not known"},
		{"HelmRelease", "the files have no HelmReleases: which name a class is not known"},
		{"Tenant", "the files have no Tenants: which refer to a class is not known"},
	} {
		if !seen[kind[0]] {
			notes = append(notes, kind[1])
		}
	}
	return notes
}

// fromFiles picks the classes, nodes, releases and Tenants of the documents.
func fromFiles(documents []manifest.Document) (classes.Input, error) {
	var in classes.Input
	for i := range documents {
		document := &documents[i]
		if err := pick(&in, document); err != nil {
			return in, &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
		}
	}
	return in, nil
}

// pick takes what is read of one document, if anything.
func pick(in *classes.Input, document *manifest.Document) error {
	var err error
	switch object := document.Object; {
	case object.Kind == "AffinityClass" && object.Group == v1alpha1.GroupVersion.Group:
		var class v1alpha1.AffinityClass
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &class)
		in.Classes = append(in.Classes, class)
	case object.Kind == "Node" && object.Group == "":
		var node corev1.Node
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &node)
		in.Nodes = append(in.Nodes, node)
	case object.GroupKind == lineage.HelmRelease:
		if class, ok := policy.ClassName(object.Labels); ok {
			in.Releases = append(in.Releases, classes.Release{Name: object.Namespace + "/" + object.Name, Class: class})
		}
	case object.Kind == "Tenant" && object.Group == tenantv1.GroupVersion.Group:
		var tenant tenantv1.Tenant
		err = kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, &tenant)
		tenant.Namespace = object.Namespace
		in.Tenants = append(in.Tenants, classes.Refer(&tenant))
	}
	return err
}
