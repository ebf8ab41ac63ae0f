package charts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/lineage"
)

// Neither the Pods nor the Job's template name a release: Flux has labelled the
// Cluster alone.
func TestPodsOfAnOperatorAreJudgedByTheReleaseOfTheirCluster(t *testing.T) {
	t.Parallel()
	r := release{chart: "db", namespace: "database", in: "dc1"}
	r.deploy(t)
	for prefix, owner := range map[string]string{"app-1-initdb-": "Job", "app-2": "Cluster", "app-3": "Cluster"} {
		eventually(t, func() error { return r.runs(t, prefix, owner) })
	}
	// Judged anew by the class that the release names now, the next one is refused.
	r.change(t, `{"metadata":{"labels":{"apps.cozystack.io/affinity-class":"dc2"}},"spec":{"values":{"instances":4}}}`)
	refusal := fmt.Sprintf(`Pod database/app-4 (Bucket app): AffinityClass "dc2" requires nodeSelector %s=dc2 (found "dc1"); `+
		`set it in spec.nodeSelector of the Pods of Cluster app`, zone)
	r.awaitEvent(t, "FailedCreate", "Cluster", refusal)
	r.awaitEvent(t, "ContractBroken", "HelmRelease", refusal)
	r.awaitEvent(t, "ContractBroken", "Cluster", refusal)
}

func TestAJobOfAnOperatorThatBreaksTheClassIsRefused(t *testing.T) {
	t.Parallel()
	r := release{chart: "db", namespace: "bad-database", in: "dc2"}
	r.deploy(t)
	refusal := fmt.Sprintf(`Pod bad-database/app-1-initdb-* (Bucket app): AffinityClass "dc1" requires nodeSelector %s=dc1 (found "dc2"); `+
		`set it in spec.nodeSelector of the Pods of Cluster app`, zone)
	r.awaitEvent(t, "FailedCreate", "Job", refusal)
	r.awaitEvent(t, "ContractBroken", "HelmRelease", refusal)
	if pods := r.pods(t, ""); len(pods) > 0 {
		t.Errorf("%d Pods were let in", len(pods))
	}
	r.change(t, `{"spec":{"values":{"_scheduling":{"nodeSelector":{"topology.kubernetes.io/zone":"dc1"}}}}}`)
	eventually(t, func() error { return r.runs(t, "app-3", "Cluster") })
}

// runs is nil when the one Pod of this name is of that owner, judged, and in dc1.
func (r release) runs(t *testing.T, prefix, owner string) error {
	t.Helper()
	pods := r.pods(t, prefix)
	if len(pods) != 1 || pods[0].Spec.NodeName == "" {
		return fmt.Errorf("%d Pods are called %s*, want one, with a node", len(pods), prefix)
	}
	pod := &pods[0]
	controller := metav1.GetControllerOf(pod)
	if controller == nil || controller.Kind != owner || pod.Labels[lineage.LabelFluxName] != "" {
		t.Errorf("Pod %s is controlled by %v, want a %s, and labels %v", pod.Name, controller, owner, pod.Labels)
	}
	if diff := cmp.Diff(judged("dc1"), derived(pod)); diff != "" || pod.Spec.NodeName != "dc1" {
		t.Errorf("Pod %s runs on node %s with labels (-want +got):\n%s", pod.Name, pod.Spec.NodeName, diff)
	}
	return nil
}
