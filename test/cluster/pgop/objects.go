package main

import (
	"encoding/json"
	"fmt"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Labels and the annotation that the operator sets. The annotation holds the spec
// as it was asked for, since mutating webhooks and defaults change what is read
// back.
const (
	labelCluster   = "cnpg.io/cluster"
	labelInstance  = "cnpg.io/instanceName"
	labelPodRole   = "cnpg.io/podRole"
	labelJobRole   = "cnpg.io/jobRole"
	annotationSpec = "cnpg.io/podSpec"
)

const defaultImage = "postgresql:17"

func (db *database) instanceName(number int) string {
	return fmt.Sprintf("%s-%d", db.Name, number)
}

// newPod is an instance of the database, the first being number 1.
func (db *database) newPod(number int) *corev1.Pod {
	spec := db.podSpec("postgres", corev1.RestartPolicyAlways)
	return &corev1.Pod{
		ObjectMeta: db.metadata(db.instanceName(number), spec, map[string]string{
			labelInstance: db.instanceName(number),
			labelPodRole:  "instance",
		}),
		Spec: spec,
	}
}

// newJob initialises the first instance.
func (db *database) newJob() *batchv1.Job {
	spec := db.podSpec("initdb", corev1.RestartPolicyNever)
	labels := map[string]string{labelInstance: db.instanceName(1), labelJobRole: "initdb"}
	job := &batchv1.Job{ObjectMeta: db.metadata(db.instanceName(1)+"-initdb", spec, labels)}
	job.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(job.Labels)}, Spec: spec}
	return job
}

func (db *database) podSpec(container string, restart corev1.RestartPolicy) corev1.PodSpec {
	image := db.Spec.ImageName
	if image == "" {
		image = defaultImage
	}
	spec := corev1.PodSpec{
		RestartPolicy: restart,
		NodeSelector:  db.Spec.Affinity.NodeSelector,
		Tolerations:   db.Spec.Affinity.Tolerations,
		Containers:    []corev1.Container{{Name: container, Image: image}},
	}
	if wanted := db.Spec.Affinity.NodeAffinity; wanted != nil {
		spec.Affinity = &corev1.Affinity{NodeAffinity: wanted}
	}
	return spec
}

func (db *database) metadata(name string, spec corev1.PodSpec, labels map[string]string) metav1.ObjectMeta {
	labels[labelCluster] = db.Name
	return metav1.ObjectMeta{
		Namespace:       db.Namespace,
		Name:            name,
		Labels:          labels,
		Annotations:     map[string]string{annotationSpec: asText(spec)},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(db, clusterKind)},
	}
}

func asText(spec corev1.PodSpec) string {
	text, err := json.Marshal(spec)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// sameSpec tells whether an object was asked for with the same spec.
func sameSpec(object, wanted metav1.Object) bool {
	return object.GetAnnotations()[annotationSpec] == wanted.GetAnnotations()[annotationSpec]
}
