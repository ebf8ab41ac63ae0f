package e2e_test

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// workload is what a release deploys, of whatever kind.
type workload struct {
	release   release
	name      string
	in        string // zone of the node selector; none when empty
	scheduler string
	owner     *metav1.OwnerReference
}

func (w workload) inZone(name string) workload { w.in = name; return w }

// unscheduled leaves the Pods without a node, where only their making counts.
func (w workload) unscheduled() workload { w.scheduler = "nobody"; return w }

func (w workload) meta() metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Namespace: w.release.namespace, Name: w.name, Labels: w.release.flux()}
	if w.owner != nil {
		meta.OwnerReferences = []metav1.OwnerReference{*w.owner}
	}
	return meta
}

func (w workload) labels() map[string]string { return map[string]string{"app": w.name} }

func (w workload) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: w.labels()}
}

func (w workload) podSpec() corev1.PodSpec {
	spec := corev1.PodSpec{
		Containers:    []corev1.Container{{Name: "main", Image: "none"}},
		SchedulerName: w.scheduler, TerminationGracePeriodSeconds: new(int64(0)),
	}
	if w.in != "" {
		spec.NodeSelector = map[string]string{zone: w.in}
	}
	return spec
}

func (w workload) template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: w.labels()}, Spec: w.podSpec()}
}

func (w workload) deployment(replicas int32) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: w.meta(), Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: w.selector(), Template: w.template(),
	}}
}

func (w workload) replicaSet(replicas int32) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: w.meta(), Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas, Selector: w.selector(), Template: w.template(),
	}}
}

func (w workload) statefulSet() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: w.meta(), Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(2)), Selector: w.selector(), Template: w.template(),
	}}
}

func (w workload) daemonSet() *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: w.meta(), Spec: appsv1.DaemonSetSpec{
		Selector: w.selector(), Template: w.template(),
	}}
}

func (w workload) jobSpec() batchv1.JobSpec {
	template := w.template()
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return batchv1.JobSpec{Template: template}
}

func (w workload) job() *batchv1.Job {
	return &batchv1.Job{ObjectMeta: w.meta(), Spec: w.jobSpec()}
}

func (w workload) cronJob(schedule string) *batchv1.CronJob {
	return &batchv1.CronJob{ObjectMeta: w.meta(), Spec: batchv1.CronJobSpec{
		Schedule: schedule, JobTemplate: batchv1.JobTemplateSpec{Spec: w.jobSpec()},
	}}
}

// pod is a bare one that claims the release by the labels that Flux sets.
func (w workload) pod() *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: w.meta(), Spec: w.podSpec()}
	maps.Copy(pod.Labels, w.labels())
	return pod
}

// podOf is a bare one with these owners and no label.
func podOf(in, name string, owners ...metav1.OwnerReference) *corev1.Pod {
	w := workload{release: release{namespace: in}, name: name}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name, OwnerReferences: owners}, Spec: w.podSpec(),
	}
}

func owner(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid}
}

// replicaSetOwner refers to a ReplicaSet, not as the controller, so that none
// takes the Pod for one of its own.
func replicaSetOwner(set *appsv1.ReplicaSet) metav1.OwnerReference {
	return owner("apps/v1", "ReplicaSet", set.Name, set.UID)
}
