package conformance_test

import (
	"context"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/testing/defaults"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// scheduler is the framework of kube-scheduler with its own plugins over a
// scene.
type scheduler struct {
	framework.Framework
	nodes []fwk.NodeInfo
	ctx   context.Context
}

// plugin sets: NodeName has no PreFilter, the rest has.
func profile() *config.KubeSchedulerProfile {
	var before config.PluginSet
	for _, name := range []string{names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity, names.NodePorts,
		names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity} {
		before.Enabled = append(before.Enabled, config.Plugin{Name: name})
	}
	filter := config.PluginSet{Enabled: append(slices.Clone(before.Enabled), config.Plugin{Name: names.NodeName})}
	only := func(name string) config.PluginSet {
		return config.PluginSet{Enabled: []config.Plugin{{Name: name}}}
	}
	return &config.KubeSchedulerProfile{
		SchedulerName: "conformance", PluginConfig: defaults.PluginConfigsV1,
		Plugins: &config.Plugins{PreFilter: before, Filter: filter,
			QueueSort: only(names.PrioritySort), Bind: only(names.DefaultBinder)},
	}
}

// newScheduler lives until the test or benchmark ends, or the function returned
// is called.
func newScheduler(t testing.TB, c *scene) (*scheduler, func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	for _, n := range c.namespaces {
		if err := factory.Core().V1().Namespaces().Informer().GetStore().Add(n); err != nil {
			t.Fatal(err)
		}
	}
	snapshot := cache.NewSnapshot(c.pods, c.nodes)
	f, err := runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile(),
		runtime.WithSnapshotSharedLister(snapshot), runtime.WithInformerFactory(factory), runtime.WithClientSet(client),
		runtime.WithEventRecorder(events.NewEventBroadcasterAdapter(client).NewRecorder("conformance")))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	return &scheduler{f, nodes, ctx}, stop
}

// feasible are the nodes that pass all filters, sorted.
func (s *scheduler) feasible(p *v1.Pod) []string {
	state := framework.NewCycleState()
	chosen, status, _ := s.RunPreFilterPlugins(s.ctx, state, p)
	if !status.IsSuccess() && !status.IsSkip() {
		return nil
	}
	var found []string
	for _, n := range s.nodes {
		if chosen != nil && !chosen.AllNodes() && !chosen.NodeNames.Has(n.Node().Name) {
			continue
		}
		if s.RunFilterPlugins(s.ctx, state, p, n).IsSuccess() {
			found = append(found, n.Node().Name)
		}
	}
	slices.Sort(found)
	return found
}

func theirs(t testing.TB, c *scene) []string {
	s, stop := newScheduler(t, c)
	defer stop()
	return s.feasible(c.pod)
}

func ours(c *scene) []string {
	r, err := placement.FromPod(c.pod)
	if err != nil {
		return nil // kube-scheduler does not schedule such a Pod either
	}
	var found []string
	for _, candidate := range snapshotOf(c).Preview(r, placement.Options{}).Candidates {
		found = append(found, candidate.Node)
	}
	slices.Sort(found)
	return found
}

func snapshotOf(c *scene) *placement.Snapshot {
	s := placement.NewSnapshot()
	for _, n := range c.nodes {
		s.SetNode(n)
	}
	for _, p := range c.pods {
		s.SetPod(p)
	}
	for _, n := range c.namespaces {
		s.SetNamespace(n)
	}
	return s
}
