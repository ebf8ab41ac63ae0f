package surge

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Placeholder is what the user says of the Pod that reserves room.
type Placeholder struct {
	Namespace     string
	Image         string
	PriorityClass string // by name; empty for the cluster's default
	// Same are labels whose value a host must share with the candidate. The mode
	// adds none.
	Same []string
}

// NoLabelError says that the candidate lacks a label that a host should share.
type NoLabelError struct{ Node, Label string }

func (e *NoLabelError) Error() string {
	return fmt.Sprintf("node %s has no label %s, so no other node can be required to have the same", e.Node, e.Label)
}

// AppName is the value of app.kubernetes.io/name on every placeholder.
const AppName = "surge-placeholder"

// Pod is the placeholder for a reservation. It runs nothing and may be evicted at
// once, it tolerates the candidate's own taints, and it fits the restricted Pod
// security standard.
func (p *Placeholder) Pod(c *Candidate, r *Reservation) (*v1.Pod, error) {
	required, err := p.required(c.Node)
	if err != nil {
		return nil, err
	}
	pod := &v1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: nameFor(c.Node.Name), Labels: map[string]string{"app.kubernetes.io/name": AppName},
		},
	}
	pod.Spec = v1.PodSpec{
		Affinity: required, Tolerations: tolerations(c.Node.Spec.Taints), PriorityClassName: p.PriorityClass,
		AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false), TerminationGracePeriodSeconds: new(int64(0)),
		SecurityContext: &v1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(65535)), SeccompProfile: &v1.SeccompProfile{Type: v1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []v1.Container{{
			Name: "pause", Image: p.Image, Resources: resources(r.Requests),
			SecurityContext: &v1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &v1.Capabilities{Drop: []v1.Capability{"ALL"}}},
		}},
	}
	return pod, nil
}

// nameFor is a Pod's name for a node, which may use up all that a name has.
func nameFor(node string) string {
	const most = 253
	name := "surge-" + node
	return strings.TrimRight(name[:min(len(name), most)], "-.")
}

// required is the node affinity that replicates the candidate's labels; nil for
// none.
func (p *Placeholder) required(node *v1.Node) (*v1.Affinity, error) {
	var same []v1.NodeSelectorRequirement
	labels := slices.Clone(p.Same)
	slices.Sort(labels)
	for _, label := range slices.Compact(labels) {
		value, ok := node.Labels[label]
		if !ok {
			return nil, &NoLabelError{node.Name, label}
		}
		same = append(same, v1.NodeSelectorRequirement{Key: label, Operator: v1.NodeSelectorOpIn, Values: []string{value}})
	}
	if same == nil {
		return nil, nil
	}
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: same}},
	}}}, nil
}

// tolerations answer the taints that an administrator gave the node.
func tolerations(taints []v1.Taint) []v1.Toleration {
	var all []v1.Toleration
	for _, taint := range taints {
		if taint.Effect == v1.TaintEffectPreferNoSchedule || passing(taint.Key) {
			continue
		}
		all = append(all, v1.Toleration{Key: taint.Key, Operator: v1.TolerationOpEqual, Value: taint.Value, Effect: taint.Effect})
	}
	return all
}

// passing says whether a taint tells of a node's condition or of its coming and
// going. Such a taint is no reason to seek a node like it: a placeholder that
// tolerated it could land on another node that is about to go.
// Source: the well-known taints of Kubernetes, of its cloud providers, and those that
// Karpenter and the cluster autoscaler put on nodes that they take away.
func passing(key string) bool {
	switch key {
	case "karpenter.sh/disrupted", "karpenter.sh/disruption", "ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler":
		return true
	}
	return strings.HasPrefix(key, "node.kubernetes.io/") || strings.HasPrefix(key, "node.cloudprovider.kubernetes.io/")
}
