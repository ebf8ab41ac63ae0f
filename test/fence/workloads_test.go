package fence_test

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func template(changes ...func(*corev1.Pod)) corev1.PodTemplateSpec {
	p := pod(changes...)
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	p.Labels["app"] = "stray"
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: p.Labels, Annotations: p.Annotations}, Spec: p.Spec}
}

func selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "stray"}}
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func replicaSet(t corev1.PodTemplateSpec) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: named("rs"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(1)), Selector: selector(), Template: t}}
}

func byWorkloads() []attack {
	one := func(name string, object func() client.Object) attack {
		return attack{name, func(a *arena) { a.try(object()) }}
	}
	job := func() *batchv1.Job {
		t := template(far)
		t.Spec.RestartPolicy = corev1.RestartPolicyNever
		return &batchv1.Job{ObjectMeta: named("job"), Spec: batchv1.JobSpec{Template: t}}
	}
	return []attack{
		one("a Deployment", func() client.Object {
			return &appsv1.Deployment{ObjectMeta: named("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector(), Template: template(far)}}
		}),
		one("a Deployment that bears the class label", func() client.Object {
			d := &appsv1.Deployment{ObjectMeta: named("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector(),
				Template: template(labelled("apps.cozystack.io/affinity-class", "dc1"), far)}}
			d.Labels = map[string]string{"apps.cozystack.io/affinity-class": "dc1"}
			return d
		}),
		one("a ReplicaSet", func() client.Object { return replicaSet(template()) }),
		one("a StatefulSet", func() client.Object {
			return &appsv1.StatefulSet{ObjectMeta: named("s"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(1)), Selector: selector(), ServiceName: "s", Template: template(far)}}
		}),
		one("a Job", func() client.Object { return job() }),
		one("a ReplicationController", func() client.Object {
			t := template()
			return &corev1.ReplicationController{ObjectMeta: named("rc"), Spec: corev1.ReplicationControllerSpec{
				Replicas: new(int32(1)), Selector: map[string]string{"app": "stray"}, Template: &t}}
		}),
		{"a Pod that names a ReplicaSet as its owner", func(a *arena) {
			set := replicaSet(template(near))
			set.Spec.Replicas = new(int32(0))
			a.try(set)
			a.try(pod(far, func(p *corev1.Pod) {
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID}}
			}))
		}},
		{"a Pod that a ReplicaSet adopts", func(a *arena) {
			a.try(pod(far, labelled("app", "stray")))
			a.try(replicaSet(template(near)))
		}},
		{"a Deployment that turns away after it was good", func(a *arena) {
			d := &appsv1.Deployment{ObjectMeta: named("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector(), Template: template(near)}}
			a.try(d)
			d.Spec.Template.Spec.NodeSelector[zone] = "dc3"
			if err := a.user.Update(a.ctx, d); err != nil {
				a.change(d, client.MergeFrom(&appsv1.Deployment{ObjectMeta: d.ObjectMeta}))
			}
		}},
	}
}
