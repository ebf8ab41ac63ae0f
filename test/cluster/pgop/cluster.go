package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var clusterKind = schema.GroupVersionKind{Group: "postgresql.cnpg.io", Version: "v1", Kind: "Cluster"}

// database is what is read of a Cluster.
type database struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Instances int       `json:"instances"`
		ImageName string    `json:"imageName"`
		Affinity  placement `json:"affinity"`
	} `json:"spec"`
}

// placement is passed on to the Pods as it is.
type placement struct {
	NodeSelector map[string]string    `json:"nodeSelector"`
	NodeAffinity *corev1.NodeAffinity `json:"nodeAffinity"`
	Tolerations  []corev1.Toleration  `json:"tolerations"`
}

// The phases have the operator's own names.
const (
	phaseFirst    = "Setting up primary"
	phaseReplicas = "Creating a new replica"
	phaseReplace  = "Upgrading cluster"
	phaseRefused  = "Unable to create required cluster objects"
	phaseHealthy  = "Cluster in healthy state"
)

// status is what is told about a Cluster.
type status struct {
	Instances      int    `json:"instances"`
	ReadyInstances int    `json:"readyInstances"`
	Phase          string `json:"phase"`
	PhaseReason    string `json:"phaseReason,omitempty"`
}

func newCluster() *unstructured.Unstructured {
	cluster := &unstructured.Unstructured{}
	cluster.SetGroupVersionKind(clusterKind)
	return cluster
}

func readDatabase(cluster *unstructured.Unstructured) (*database, error) {
	db := &database{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(cluster.Object, db); err != nil {
		return nil, fmt.Errorf("read Cluster %s/%s: %w", cluster.GetNamespace(), cluster.GetName(), err)
	}
	return db, nil
}
