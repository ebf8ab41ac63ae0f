package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const namespace = "bench"

// warm makes a class, a release, and a Deployment of it, and gives the review of
// a Pod of its ReplicaSet: a chain of three hops.
func warm(ctx context.Context, p *platform.Platform) ([]byte, error) {
	if err := p.ControlPlane.CreateNamespace(ctx, namespace, nil); err != nil {
		return nil, err
	}
	class := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "dc1"}}
	class.Spec.NodeSelector = map[string]string{"topology.kubernetes.io/zone": "dc1"}
	deployment := deployment()
	for _, object := range []client.Object{class, release(), deployment} {
		if err := p.Client.Create(ctx, object); err != nil {
			return nil, fmt.Errorf("create %s: %w", object.GetName(), err)
		}
	}
	var sets appsv1.ReplicaSetList
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := p.Client.List(ctx, &sets, client.InNamespace(namespace))
		return len(sets.Items) == 1, err
	})
	if err != nil {
		return nil, err
	}
	return reviewOf(pod(&sets.Items[0]))
}

func release() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"spec": map[string]any{"interval": "1h", "chart": map[string]any{"spec": map[string]any{
			"chart": "web", "sourceRef": map[string]any{"kind": "HelmRepository", "name": "charts"}}}},
	}}
	u.SetNamespace(namespace)
	u.SetName("web")
	u.SetLabels(map[string]string{
		"apps.cozystack.io/application.group": "apps.cozystack.io", "apps.cozystack.io/application.kind": "Web",
		"apps.cozystack.io/application.name": "web", "apps.cozystack.io/affinity-class": "dc1",
	})
	return u
}

func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	none := int32(0)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Labels: map[string]string{"helm.toolkit.fluxcd.io/name": "web"}},
		Spec: appsv1.DeploymentSpec{Replicas: &none, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}}}},
	}
}

// pod is a Pod of some 3 KB, as a chart of a web application makes them.
func pod(set *appsv1.ReplicaSet) *corev1.Pod {
	isController := true
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/bin/check", "--live"}}}, PeriodSeconds: 10}
	container := corev1.Container{
		Name: "web", Image: "nginx:1.29", Args: []string{"--config=/etc/web/config.yaml", "--verbose"},
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		Env:   []corev1.EnvVar{{Name: "DATABASE_HOST", Value: "db.bench.svc"}, {Name: "LOG_LEVEL", Value: "info"}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")}},
		VolumeMounts:  []corev1.VolumeMount{{Name: "config", MountPath: "/etc/web"}, {Name: "token", MountPath: "/var/run/secrets/token", ReadOnly: true}},
		LivenessProbe: probe, ReadinessProbe: probe, TerminationMessagePath: "/dev/termination-log", ImagePullPolicy: corev1.PullIfNotPresent,
	}
	second, third := container, container
	second.Name, third.Name = "metrics", "proxy"
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: set.Name + "-", Name: set.Name + "-x2x4z", Namespace: namespace,
			Labels:          map[string]string{"app": "web", "pod-template-hash": "7c9"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID, Controller: &isController}}},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"topology.kubernetes.io/zone": "dc1"},
			Containers:   []corev1.Container{container, second, third},
			Volumes:      []corev1.Volume{{Name: "config"}, {Name: "token"}}, ServiceAccountName: "web",
		},
	}
}

func reviewOf(pod *corev1.Pod) ([]byte, error) {
	raw, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	return json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "705ab4f5-6393-11e8-b7cc-42010a800002", Namespace: namespace, Name: pod.Name, Operation: admissionv1.Create,
			Kind:     metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			UserInfo: authenticationv1.UserInfo{Username: "system:serviceaccount:kube-system:replicaset-controller",
				Groups: []string{"system:serviceaccounts", "system:authenticated"}},
			Object: runtime.RawExtension{Raw: raw},
		},
	})
}

// servers are the URLs of what is compared.
type servers struct {
	ours, stock, bare string
	ca                []byte
}

// start runs the baselines, as processes of this program, beside our server.
func start(ctx context.Context, p *platform.Platform) (servers, error) {
	s := servers{ours: p.URL, ca: p.ControlPlane.CA().CertPEM()}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	for name, url := range map[string]*string{stock: &s.stock, bare: &s.bare} {
		port, err := controlplane.FreePort()
		if err != nil {
			return s, err
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		*url = "https://" + address
		err = p.ControlPlane.Run(ctx, controlplane.Process{Name: name, Path: self,
			Args: []string{"-serve", name, "-address", address, "-certs", filepath.Join(p.ControlPlane.Dir(), "serving")}})
		if err != nil {
			return s, err
		}
	}
	return s, awaitListeners(ctx, s.stock, s.bare)
}

func awaitListeners(ctx context.Context, urls ...string) error {
	for _, url := range urls {
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "https://"))
			if err != nil {
				return false, nil
			}
			return true, conn.Close()
		})
		if err != nil {
			return fmt.Errorf("wait for %s: %w", url, err)
		}
	}
	return nil
}
