package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/webhook/review"
)

// sizes of a cluster. Tenants stand five deep.
type sizes struct{ releases, tenants, classes int }

// full is the size for which the design promises that nothing grows with it.
var full = sizes{releases: 10_000, tenants: 1_000, classes: 200}

// scale prints what a warm review of a Pod in a tenant costs in a cluster of the full
// size, beside one that has a tenth of one thing, and what one event costs there.
func scale(ctx context.Context) error {
	large, err := newScene(full)
	if err != nil {
		return err
	}
	fmt.Printf("a warm review at %d releases, %d tenants, %d classes, to one with a tenth of\n", full.releases, full.tenants, full.classes)
	for _, tenth := range []struct {
		of string
		sizes
	}{
		{"releases", sizes{full.releases / 10, full.tenants, full.classes}},
		{"tenants", sizes{full.releases, full.tenants / 10, full.classes}},
		{"classes", sizes{full.releases, full.tenants, full.classes / 10}},
	} {
		small, err := newScene(tenth.sizes)
		if err != nil {
			return err
		}
		fmt.Printf("  %-9s %.2f\n", tenth.of, ratio(ctx, large, small))
	}
	fmt.Printf("  one event  %s of a class, %s of a tenant, with the next review\n",
		large.event(ctx, func(p *policy.Snapshot) *policy.Snapshot { return p.With(zoneClass(0)) }),
		large.event(ctx, func(p *policy.Snapshot) *policy.Snapshot { return p.WithTenant(tenantAt(0)) }))
	return nil
}

// scene is a cluster in memory, and a Pod in it: of a release of a tenant five deep.
type scene struct {
	policies review.Fixed
	reviewer *review.Reviewer
	pod      *review.Request
}

func newScene(s sizes) (*scene, error) {
	p := policy.New()
	for i := range s.classes {
		p = p.With(zoneClass(i))
	}
	for i := range s.tenants {
		tenant := tenantAt(i)
		namespace, _ := tenant.Governs()
		p = p.WithTenant(tenant).WithNamespace(namespace, policy.Namespace{Mode: policy.Deny, Tenant: true})
	}
	releases := manyReleases{}
	for i := range s.releases {
		tenant := tenantAt(i % s.tenants)
		namespace, _ := tenant.Governs()
		releases.add(namespace, fmt.Sprintf("app-%d", i))
	}
	reader, err := cluster.New(cluster.Options{Config: &rest.Config{Host: "http://127.0.0.1:1"}, Releases: releases})
	if err != nil {
		return nil, err
	}
	const deep = 4 // the fifth of a chain
	tenant := tenantAt(deep)
	namespace, _ := tenant.Governs()
	pod := &review.Request{Namespace: namespace}
	pod.Pod.Metadata.Name = "web-1"
	pod.Pod.Metadata.Labels = map[string]string{lineage.LabelFluxName: fmt.Sprintf("app-%d", deep)}
	pod.Pod.Spec.NodeSelector = map[string]string{"zone": "zone-0"}
	c := &scene{policies: review.Fixed{Policy: p}, pod: pod}
	c.reviewer = review.New(func(namespace string) review.Reads { return reader.Begin(namespace) }, &c.policies, review.Options{})
	return c, nil
}

// ratio of the medians of rounds that take turns.
func ratio(ctx context.Context, a, b *scene) float64 {
	const rounds, reviews = 41, 2000
	var slow, fast []time.Duration
	for range rounds {
		slow, fast = append(slow, a.reviews(ctx, reviews)), append(fast, b.reviews(ctx, reviews))
	}
	slices.Sort(slow)
	slices.Sort(fast)
	return float64(slow[rounds/2]) / float64(fast[rounds/2])
}

func (c *scene) reviews(ctx context.Context, n int) time.Duration {
	start := time.Now()
	for range n {
		if v := c.reviewer.Pod(ctx, c.pod); v.Reason != review.ContractKept {
			panic(v.Message)
		}
	}
	return time.Since(start)
}

// event is the slowest of many changes, each with the review that follows it.
func (c *scene) event(ctx context.Context, change func(*policy.Snapshot) *policy.Snapshot) time.Duration {
	var worst time.Duration
	for range 200 {
		start := time.Now()
		c.policies.Policy = change(c.policies.Policy)
		c.reviews(ctx, 1)
		worst = max(worst, time.Since(start))
	}
	return worst.Round(time.Microsecond)
}

func zoneClass(i int) *v1alpha1.AffinityClass {
	class := &v1alpha1.AffinityClass{}
	class.Name = fmt.Sprintf("class-%d", i)
	class.Spec.NodeSelector = map[string]string{"zone": fmt.Sprintf("zone-%d", i)}
	return class
}

// tenantAt gives chains of five: each tenant below the one before it.
func tenantAt(i int) policy.Tenant {
	parent := "tenant-root"
	for level := range i % 5 {
		if level == 0 {
			parent = "tenant"
		}
		parent += fmt.Sprintf("-t%d", i-i%5+level)
	}
	return policy.Tenant{Namespace: parent, Name: fmt.Sprintf("t%d", i), Allowed: []string{"class-0", "class-1", "class-2"}, Default: "class-0"}
}

// manyReleases stands in for the watch of releases, which keeps such a map.
type manyReleases map[types.NamespacedName]*lineage.Object

// Release finds one by name.
func (m manyReleases) Release(namespace, name string) (*lineage.Object, bool) {
	found, ok := m[types.NamespacedName{Namespace: namespace, Name: name}]
	return found, ok
}

func (m manyReleases) add(namespace, name string) {
	m[types.NamespacedName{Namespace: namespace, Name: name}] = &lineage.Object{
		GroupKind: lineage.HelmRelease, Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name),
		Labels: map[string]string{policy.ClassLabel: "class-0", lineage.LabelApplicationGroup: "g",
			lineage.LabelApplicationKind: "k", lineage.LabelApplicationName: name},
		Release: &lineage.Release{},
	}
}
