package placement

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// bearer is one of many placed Pods of fifty namespaces, ten a node; each bears
// one of twenty tags and has labels of its own, as a StatefulSet's Pods have.
func bearer(i int) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprintf("team-%d", i/10%50), Name: fmt.Sprintf("pod-%d", i), UID: types.UID(fmt.Sprintf("uid-%d", i)),
		Labels: map[string]string{"pod": fmt.Sprint(i), fmt.Sprintf("%stag-%02d", binaryaffinity.TagPrefix, i%20): ""},
	}}
	p.Spec.NodeName = fmt.Sprintf("node-%d", i/10)
	return p
}

func bearers(many int) *Snapshot {
	s := NewSnapshot()
	for i := range many {
		s.SetPod(bearer(i))
	}
	return s
}

// An update does the same work however many Pods are placed: it allocates as
// much, and it touches one group of one namespace.
func TestAnUpdateOfATaggedPodIsTheSameWorkAtAHundredThousand(t *testing.T) {
	p := bearer(17)
	key := types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
	work := func(s *Snapshot) float64 {
		return testing.AllocsPerRun(200, func() {
			s.RemovePod(key)
			s.SetPod(p)
		})
	}
	few, many := bearers(1_000), bearers(100_000)
	if at1k, at100k := work(few), work(many); at1k != at100k {
		t.Errorf("%v allocations at 1,000 Pods, %v at 100,000", at1k, at100k)
	}
	if groups := len(many.namespaces[p.Namespace].tagged); groups != 2_000 {
		t.Errorf("%d groups of the namespace bear tags, want one for each of its 2,000 Pods", groups)
	}
}

// Pods that have gone leave nothing among those who bear tags.
func TestNobodyIsRememberedForATag(t *testing.T) {
	s := bearers(1_000)
	s.SetNamespace(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-0"}})
	for i := range 1_000 {
		s.RemovePod(types.NamespacedName{Namespace: bearer(i).Namespace, Name: bearer(i).Name})
	}
	if len(s.namespaces) != 1 || len(s.namespaces["team-0"].tagged) != 0 {
		t.Errorf("%d namespaces are left, and %d groups in team-0", len(s.namespaces), len(s.namespaces["team-0"].tagged))
	}
}

func BenchmarkSetTaggedPod(b *testing.B) {
	for _, many := range []int{1_000, 100_000} {
		s, pods := bearers(many), make([]*v1.Pod, 100)
		for i := range pods {
			pods[i] = bearer(i)
		}
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.SetPod(pods[i%len(pods)])
			}
		})
	}
}
