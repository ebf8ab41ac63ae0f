package placement

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// adopt makes a Pod of a template the workload's i-th: its name, its controller
// and the labels that the controller adds. A Deployment's Pod belongs to a
// ReplicaSet and bears its revision, which spread constraints may match.
func (o *owner) adopt(pod *v1.Pod, i int) {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	kind, name, api := o.Kind, o.Metadata.Name, o.APIVersion
	pod.Name = o.podName(i)
	switch o.Kind {
	case "Deployment":
		kind, name = "ReplicaSet", name+"-"+o.revision
		pod.Labels["pod-template-hash"] = o.revision
	case "StatefulSet":
		ordinal := strconv.Itoa(o.Spec.Ordinals.Start + i)
		pod.Name = name + "-" + ordinal
		pod.Labels["statefulset.kubernetes.io/pod-name"] = pod.Name
		pod.Labels["apps.kubernetes.io/pod-index"] = ordinal
		pod.Labels["controller-revision-hash"] = name + "-" + o.revision
	case "DaemonSet":
		pod.Labels["controller-revision-hash"] = o.revision
	case "Job", "CronJob":
		kind, api = "Job", "batch/v1"
		pod.Labels["batch.kubernetes.io/job-name"] = name
		pod.Labels["job-name"] = name
	}
	controller := true
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: api, Kind: kind, Name: name, Controller: &controller}}
}

// podName is the name of the i-th Pod, but for a StatefulSet's.
func (o *owner) podName(i int) string { return o.Metadata.Name + "-" + strconv.Itoa(i) }

// pin makes a Pod a DaemonSet's Pod for one node: it names the node in its
// affinity and tolerates what the node's own condition taints say.
// Source: the Kubernetes documentation of DaemonSets, "Taints and tolerations".
func pin(pod *v1.Pod, node string) {
	pod.Name = pod.Name + "-" + node
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{}
	}
	only := v1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		required = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{}}}
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	for i := range required.NodeSelectorTerms {
		required.NodeSelectorTerms[i].MatchFields = []v1.NodeSelectorRequirement{only}
	}
	tolerateConditions(pod)
}

// tolerateConditions adds what the controller adds to each Pod of a DaemonSet.
func tolerateConditions(pod *v1.Pod) {
	for _, key := range []string{v1.TaintNodeDiskPressure, v1.TaintNodeMemoryPressure, v1.TaintNodePIDPressure, v1.TaintNodeUnschedulable} {
		tolerate(pod, key, v1.TaintEffectNoSchedule)
	}
	if pod.Spec.HostNetwork {
		tolerate(pod, v1.TaintNodeNetworkUnavailable, v1.TaintEffectNoSchedule)
	}
	tolerate(pod, v1.TaintNodeNotReady, v1.TaintEffectNoExecute)
	tolerate(pod, v1.TaintNodeUnreachable, v1.TaintEffectNoExecute)
}

func tolerate(pod *v1.Pod, key string, effect v1.TaintEffect) {
	pod.Spec.Tolerations = append(pod.Spec.Tolerations,
		v1.Toleration{Key: key, Operator: v1.TolerationOpExists, Effect: effect})
}
