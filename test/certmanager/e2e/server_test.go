package e2e_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const webhookPort = "8443"

// runServer runs what the Deployment would, on the address of the Service, and
// returns that address when the server is ready.
func (w *world) runServer(t *testing.T) (address string) {
	t.Helper()
	container, secret := w.rendered(t)
	var service corev1.Service
	if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &service); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(service.Spec.ClusterIP, "127.77.") {
		t.Fatalf("the Service has address %s, which is none of %s", service.Spec.ClusterIP, serviceNetwork)
	}
	program, err := controlplane.Binary("affinity-webhook")
	if err != nil {
		t.Fatal(err)
	}
	account := "system:serviceaccount:" + namespace + ":" + name
	kubeconfig, err := w.Kubeconfig(name, account, "system:serviceaccounts", "system:serviceaccounts:"+namespace, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	probes := "127.0.0.1:" + freePort(t)
	if err := w.cp.Run(t.Context(), controlplane.Process{
		Name: platform.Server, Path: program,
		// The last of two equal flags wins.
		Args: append(slices.Clone(container.Args), "--webhook-host="+service.Spec.ClusterIP, "--webhook-port="+webhookPort,
			"--metrics-bind-address=127.0.0.1:"+freePort(t), "--health-probe-bind-address="+probes,
			"--cert-dir="+w.mount(t, secret), "--leader-election-namespace="+namespace),
		Env:   []string{"KUBECONFIG=" + kubeconfig},
		Ready: controlplane.HTTPReady("http://"+probes+"/readyz", nil),
	}); err != nil {
		t.Fatal(err)
	}
	return service.Spec.ClusterIP + ":" + webhookPort
}

// rendered is the container of the Deployment, and the Secret that is mounted where
// the container's arguments look for the certificate.
func (w *world) rendered(t *testing.T) (container corev1.Container, secret string) {
	t.Helper()
	var deployment appsv1.Deployment
	if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &deployment); err != nil {
		t.Fatal(err)
	}
	pod := deployment.Spec.Template.Spec
	container = pod.Containers[0]
	if container.Command[0] != "/"+filepath.Base(platform.Server) {
		t.Fatalf("the Deployment runs %v", container.Command)
	}
	for _, mounted := range container.VolumeMounts {
		if !slices.Contains(container.Args, "--cert-dir="+mounted.MountPath) {
			continue
		}
		for _, volume := range pod.Volumes {
			if volume.Name == mounted.Name {
				return container, volume.Secret.SecretName
			}
		}
	}
	t.Fatalf("no Secret is mounted where %v look for it", container.Args)
	return container, ""
}
