// Package placement_test asks package placement about Pods a moment before the
// real scheduler places them, on a running control plane. The snapshot is fed by
// lists and watches of the API server alone.
//
// Neighbours: test/conformance compares with the scheduler's plugins, on far
// more and stranger cases, but without an API server between them.
package placement_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

var (
	cp  *controlplane.ControlPlane
	api client.Client
)

func TestMain(m *testing.M) {
	use := func(started *controlplane.ControlPlane) { cp = started }
	os.Exit(controlplane.Main(runner(m.Run), controlplane.Options{}, use))
}

// runner furnishes the control plane before the tests run.
type runner func() int

func (run runner) Run() int {
	if err := furnish(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// spaces are the namespaces in which Pods are made.
func spaces() []string { return []string{"shop", "bank"} }

func furnish(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard()) // it complains, at length, of having none
	var err error
	if api, err = cp.Client(); err != nil {
		return err
	}
	for _, name := range spaces() {
		if err := cp.CreateNamespace(ctx, name, map[string]string{"team": name}); err != nil {
			return err
		}
	}
	return cp.AddNodes(ctx, nodes())
}

// nodes are twelve small ones in three zones; every fifth is tainted.
func nodes() []controlplane.NodeSpec {
	var specs []controlplane.NodeSpec
	for i := range 12 {
		n := controlplane.NodeSpec{
			Name:   "node-" + strconv.Itoa(i),
			Labels: map[string]string{corev1.LabelTopologyZone: "zone-" + strconv.Itoa(i%3), "rack": strconv.Itoa(i % 4)},
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(strconv.Itoa(2 + 2*(i%2))), corev1.ResourcePods: resource.MustParse("8"),
			},
		}
		if i%5 == 0 {
			n.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}
		specs = append(specs, n)
	}
	return specs
}
