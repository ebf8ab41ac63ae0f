package main

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// scheduling says of a Pod that waits for a node where it could land; nothing of one
// that does not; and the command that says more.
func (a *asker) scheduling(kind schema.GroupKind, object []byte) (said, next string) {
	var pod corev1.Pod
	if kind != (schema.GroupKind{Kind: "Pod"}) || json.Unmarshal(object, &pod) != nil ||
		pod.Spec.NodeName != "" || pod.Status.Phase != corev1.PodPending && pod.Status.Phase != "" {
		return "", ""
	}
	if gates := len(pod.Spec.SchedulingGates); gates > 0 {
		return fmt.Sprintf("it waits behind %d scheduling gate(s)", gates), ""
	}
	world, err := a.cluster.Snapshot(a.ctx)
	if err != nil {
		return "where it could land could not be told: " + err.Error(), ""
	}
	request, err := placement.FromPod(&pod)
	if err != nil {
		return "where it could land could not be told: " + err.Error(), ""
	}
	p := world.Preview(request, placement.Options{})
	text := fmt.Sprintf("it waits for a node: %s, %d of %d nodes", p.Verdict, len(p.Candidates), p.Total)
	if p.Shortfall != nil {
		text += ", " + p.Shortfall.Short() + " short"
	}
	if said := p.Aggregate(); said != "" {
		text += "; " + said
	}
	return text, fmt.Sprintf("kubectl get pod %s -n %s -o yaml | affinityctl preview -f - --explain", pod.Name, pod.Namespace)
}
