package nodeset

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

const zone = "topology.kubernetes.io/zone"

func BenchmarkSubset(b *testing.B) {
	dc12 := formula{Labels: map[string]string{"disk": "ssd"}, Selector: zones("dc1", "dc2").Selector}.set().Compile()
	fence := tenants(200)
	pinned := map[string]string{"disk": "ssd", zone: "dc1", "pool": "p199"}
	for _, bm := range []struct {
		name         string
		inner, outer Set
	}{
		{"literal", Of(pinned, nil), Of(map[string]string{"disk": "ssd", zone: "dc1"}, nil).Compile()},
		{"literal, last of 200 classes", Of(pinned, nil), fence},
		{"terms, inside", Of(pinned, zones("dc1").Selector), dc12},
		{"terms, outside", Of(map[string]string{"disk": "ssd"}, zones("dc1", "dc3").Selector), dc12},
		{"200 classes, inside by affinity", Of(nil, zonesOf("pool", "p3", "p199").Selector), fence},
		{"200 classes, outside", Of(nil, zonesOf("pool", "p3", "p200").Selector), fence},
		{"many hostile terms", anyOf(3000, func(i int) corev1.NodeSelectorTerm { return all(in(key(i%16), value(i))) }).set(), fence},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Subset(bm.inner, bm.outer)
			}
		})
	}
}

func zones(values ...string) formula { return zonesOf(zone, values...) }

func zonesOf(key string, values ...string) formula {
	return only(1, func(int) corev1.NodeSelectorRequirement { return in(key, values...) })
}

// tenants is a fence of classes as people write them: one label each.
func tenants(n int) Set {
	var sets []Set
	for i := range n {
		sets = append(sets, Of(map[string]string{"pool": "p" + value(i)[1:]}, nil))
	}
	return Union(sets...)
}
