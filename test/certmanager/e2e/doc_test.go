// Package e2e_test installs the chart as an operator does, with the Helm SDK, on a
// real control plane with cert-manager's own controllers, and watches certificates
// being issued, their CA injected, and both renewed while reviews go on.
//
// It is not part of `make test`, since it first builds cert-manager for some
// minutes: `make e2e-certmanager`.
//
// What stands in, for there are neither kubelets nor a Service network here:
//
//   - The network of Services is 127.77.0.0/16, which is all loopback on Linux, and
//     the server listens on the address of its own Service. So the API server finds
//     it as it would in a cluster: by the Service that the webhook configurations
//     name, checking the Service's name in the certificate against the injected CA.
//     Port 443 is 8443 throughout, by a post-renderer: nobody has to be root.
//   - The Deployment's Pods run on a node of KWOK, so nothing runs in them. One real
//     process runs beside, with the arguments of the Deployment and as its
//     ServiceAccount.
//   - The Secret is mounted for it by mount, which changes files as a kubelet does,
//     and as late.
package e2e_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

const (
	serviceNetwork = "127.77.0.0/16"
	namespace      = "affinity-system"
	name           = "affinity-webhook" // of the release, and so of what the chart makes
	certManager    = "github.com/cert-manager/cert-manager"
)

// world is a control plane with cert-manager at work.
type world struct {
	*platform.Platform
	cp *controlplane.ControlPlane
}

func startWorld(t *testing.T) *world {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	cp := controlplane.ForTest(t, controlplane.Options{Flags: map[string][]string{
		controlplane.APIServer: {"--service-cluster-ip-range=" + serviceNetwork},
	}})
	w := &world{cp: cp, Platform: &platform.Platform{ControlPlane: cp, Client: newClient(t, cp)}}
	if err := cp.AddNodes(t.Context(), []controlplane.NodeSpec{{Name: "node"}}); err != nil {
		t.Fatal(err)
	}
	w.installKinds(t, "test/cluster/crd", certManagerCRDs(t))
	w.runCertManager(t)
	return w
}

func newClient(t *testing.T, cp *controlplane.ControlPlane) client.Client {
	t.Helper()
	config, err := cp.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, certmanagerv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// certManagerCRDs is their folder, which is in cert-manager's module, seen from the
// root of the repository.
func certManagerCRDs(t *testing.T) string {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", certManager).Output()
	if err != nil {
		t.Fatalf("find the module of cert-manager: %v", err)
	}
	root, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Rel(root, filepath.Join(strings.TrimSpace(string(module)), "deploy", "crds"))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func (w *world) installKinds(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		objects, err := platform.Manifests(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Apply(t.Context(), objects...); err != nil {
			t.Fatal(err)
		}
	}
	await(t, func(ctx context.Context) error { return w.Client.List(ctx, &certmanagerv1.CertificateList{}) })
}

func (w *world) runCertManager(t *testing.T) {
	t.Helper()
	program, err := controlplane.Binary("certmanager")
	if err != nil {
		t.Fatalf("%v (make e2e-certmanager builds it)", err)
	}
	address := "127.0.0.1:" + freePort(t)
	if err := w.cp.Run(t.Context(), controlplane.Process{
		Name: "certmanager", Path: program, Args: []string{"--health-address", address},
		Env:   []string{"KUBECONFIG=" + w.cp.Kubeconfig()},
		Ready: controlplane.HTTPReady("http://"+address+"/readyz", nil),
	}); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := controlplane.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(port)
}

func (w *world) secret(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

func (w *world) create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := w.Client.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

// await asks until there is no error left; it is generous, since a busy machine is
// no fault.
func await(t *testing.T, ask func(context.Context) error) {
	t.Helper()
	const patience = 2 * time.Minute
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		err := ask(t.Context())
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

func meta(in, name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: in, Name: name} }
