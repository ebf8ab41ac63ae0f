package placement_test

import (
	"os"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/placement.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheGuideHasARowForEveryStage(t *testing.T) {
	_, pods, _ := strings.Cut(guide(t), "### Of a Pod\n")
	pods, machines, _ := strings.Cut(pods, "### Of a Machine\n")
	machines, _, _ = strings.Cut(machines, "### Quotas\n")
	s := cluster(node("a"))
	for section, r := range map[string]*placement.Request{
		pods: request(t, pod("new")), machines: machineRequest(t, wants("")),
	} {
		rows := strings.Split(section, "\n| `")[1:]
		stages := s.Preview(r, placement.Options{Explain: true}).Stages
		if len(rows) != len(stages) {
			t.Fatalf("the guide has %d stages, there are %d", len(rows), len(stages))
		}
		for i, stage := range stages {
			if !strings.HasPrefix(rows[i], stage.Name+"` |") {
				t.Errorf("row %d is of another stage than %s: %.20s", i, stage.Name, rows[i])
			}
		}
	}
}

func TestTheGuideShowsAnAggregateAsItIs(t *testing.T) {
	east := label("zone", "us-east")
	s := cluster(node("a"), node("b"), node("c", east), node("d", east, taint("dedicated", "gpu", v1.TaintEffectNoSchedule)))
	got := ask(t, s, pod("new", selects("zone", "us-east"), asks(v1.ResourceCPU, "8"))).Aggregate()
	if !strings.Contains(guide(t), "\n"+got+"\n") {
		t.Errorf("docs/placement.md needs\n%s", got)
	}
}

func TestTheGuideNamesWhatIsNotModelled(t *testing.T) {
	p := pod("new", func(p *v1.Pod) {
		seconds, class := int64(60), "kata"
		p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{CSI: &v1.CSIVolumeSource{}}}}
		p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
		p.Spec.PriorityClassName, p.Spec.SchedulerName, p.Spec.RuntimeClassName = "high", "NAME", &class
		near("db", host)(p)
		binary(withWeb)(p)
		p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "wait"}}
		p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists, TolerationSeconds: &seconds}}
	})
	named := ask(t, cluster(node("a")), p).Unmodelled
	if len(named) != 8 {
		t.Errorf("the Pod uses all that is not modelled, but only %v is named", named)
	}
	for _, name := range named {
		if !strings.Contains(guide(t), "\n| `"+name+"` |") {
			t.Errorf("docs/placement.md does not explain %s", name)
		}
	}
}
