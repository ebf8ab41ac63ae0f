package live

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
	"github.com/cozystack/affinityclass/lineage"
)

// Classes reads what the verb classes shows.
func (c *Cluster) Classes(ctx context.Context) (classes.Input, error) {
	var in classes.Input
	take := func(o runtime.Object) error {
		switch object := o.(type) {
		case *v1alpha1.AffinityClass:
			in.Classes = append(in.Classes, *object)
		case *corev1.Node:
			in.Nodes = append(in.Nodes, *object)
		case *metav1.PartialObjectMetadata:
			class, _ := policy.ClassName(object.Labels)
			in.Releases = append(in.Releases, classes.Release{Name: object.Namespace + "/" + object.Name, Class: class})
		case *tenantv1.Tenant:
			in.Tenants = append(in.Tenants, classes.Refer(object))
		}
		return nil
	}
	releases := &metav1.PartialObjectMetadataList{}
	releases.SetGroupVersionKind(schema.GroupVersionKind{Group: lineage.HelmRelease.Group, Version: "v2", Kind: "HelmReleaseList"})
	for _, k := range []kind{
		{name: "AffinityClasses", empty: &v1alpha1.AffinityClassList{}},
		nodes(),
		{name: "HelmReleases", empty: releases, optional: true, options: []client.ListOption{client.HasLabels{policy.ClassLabel}}},
		{name: "Tenants", empty: &tenantv1.TenantList{}, optional: true},
	} {
		if err := c.each(ctx, k, take); err != nil {
			return in, err
		}
	}
	return in, nil
}

func nodes() kind { return kind{name: "nodes", empty: &corev1.NodeList{}} }

// Nodes reads the nodes, and the classes they may belong to.
func (c *Cluster) Nodes(ctx context.Context) ([]corev1.Node, []v1alpha1.AffinityClass, error) {
	var found []corev1.Node
	var known []v1alpha1.AffinityClass
	take := func(o runtime.Object) error {
		switch object := o.(type) {
		case *corev1.Node:
			found = append(found, *object)
		case *v1alpha1.AffinityClass:
			known = append(known, *object)
		}
		return nil
	}
	if err := c.each(ctx, nodes(), take); err != nil {
		return nil, nil, err
	}
	return found, known, c.each(ctx, kind{name: "AffinityClasses", empty: &v1alpha1.AffinityClassList{}, optional: true}, take)
}
