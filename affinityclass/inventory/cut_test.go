package inventory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func cpu(amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
}

// heavy is a Pod that is in the way of others in every manner there is.
func heavy() *corev1.Pod {
	p := pod("heavy", "n1", "web", "db")
	always := corev1.ContainerRestartPolicyAlways
	p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "someone"}}
	p.Annotations = map[string]string{"note": "long"}
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "uid-other"},
		{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "uid-agent", Controller: &yes, BlockOwnerDeletion: &yes},
	}
	p.Spec.Overhead = cpu("100m")
	p.Spec.Volumes = []corev1.Volume{{Name: "data"}}
	p.Spec.InitContainers = []corev1.Container{
		{Name: "first", Resources: corev1.ResourceRequirements{Requests: cpu("2")}},
		{Name: "sidecar", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: cpu("200m")}},
	}
	main := &p.Spec.Containers[0]
	main.Resources.Requests = cpu("500m")
	main.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	p.Spec.Affinity = &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}},
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", AllocatedResources: cpu("3"), Resources: &corev1.ResourceRequirements{Requests: cpu("3")},
	}}
	return p
}

// newcomer is shop/new, changed.
func newcomer(t *testing.T, change func(*corev1.Pod)) *placement.Request {
	t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "new"}}
	p.Spec.Containers = []corev1.Container{{Name: "main"}}
	change(p)
	request, err := placement.FromPod(p)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// next is what the DaemonSet of the heavy Pod, or another one, makes after it.
func next(t *testing.T, set string) *placement.Request {
	t.Helper()
	request, err := placement.FromDaemonSet(fmt.Appendf(nil, `{"kind":"DaemonSet","metadata":{"namespace":"shop","name":%q},`+
		`"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":80,"hostPort":80}]}]}}}}`, set))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// A newcomer to a node with the Pod is told the same of it whole and cut: its
// resources, resized ones too, its ports, its terms and whose it is.
func TestWhatACutLeavesIsInTheWayAsTheWholePodIs(t *testing.T) {
	newcomers := map[string]*placement.Request{
		"asks nothing":  newcomer(t, func(*corev1.Pod) {}),
		"has no room":   newcomer(t, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = cpu("1500m") }),
		"has just room": newcomer(t, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = cpu("700m") }),
		"wants the port": newcomer(t, func(p *corev1.Pod) {
			p.Spec.Containers[0].Ports = heavy().Spec.Containers[0].Ports
		}),
		"is not wanted there":         newcomer(t, func(p *corev1.Pod) { p.Labels = map[string]string{"app": "web"} }),
		"takes its place":             next(t, "agent"),
		"takes the place of no other": next(t, "another"),
	}
	whole, cut := placement.NewSnapshot(), placement.NewSnapshot()
	whole.SetNode(node("n1"))
	whole.SetPod(heavy())
	bare, trimmed := node("n1"), heavy()
	cutNode(bare)
	cutPod(trimmed)
	cut.SetNode(bare)
	cut.SetPod(trimmed)
	verdicts := map[placement.Verdict]bool{}
	for name, request := range newcomers {
		want, got := whole.Preview(request, placement.Options{}), cut.Preview(request, placement.Options{})
		verdicts[want.Verdict] = true
		if diff := cmp.Diff(want.Reasons(), got.Reasons()); diff != "" || want.Verdict != got.Verdict {
			t.Errorf("%s: %s, cut %s; reasons (-whole +cut):\n%s", name, want.Verdict, got.Verdict, diff)
		}
	}
	if len(verdicts) != 3 {
		t.Errorf("only %v come up: the cases tell too little", verdicts)
	}
}

func TestACutLeavesNothingThatNobodyReads(t *testing.T) {
	for name, cut := range map[string]func(*corev1.Pod){"for previews": cutPod, "to tags": cutToTags} {
		once := heavy()
		cut(once)
		twice := once.DeepCopy()
		cut(twice)
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Errorf("%s: a second cut changes (-once +twice):\n%s", name, diff)
		}
		if owners := once.OwnerReferences; len(owners) > 1 || len(owners) == 1 && owners[0].UID != "" {
			t.Errorf("%s: owners %v", name, owners)
		}
		if len(once.ManagedFields)+len(once.Annotations)+len(once.Spec.Volumes) > 0 ||
			len(once.Spec.Containers) > 0 && len(once.Spec.Containers[0].Env) > 0 {
			t.Errorf("%s: %v", name, once)
		}
	}
	tags := heavy()
	cutToTags(tags)
	if tags.Labels["app"] != "" || len(tags.Labels) != 2 || len(tags.Spec.Containers) > 0 {
		t.Errorf("cut to tags: labels %v, containers %v", tags.Labels, tags.Spec.Containers)
	}
}
