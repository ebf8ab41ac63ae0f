package fault_test

import (
	"fmt"
	"net/http"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

// Nothing that brings a cluster up may wait for the webhook: neither the control
// plane nor the server's own Pods. And the documented way out works, word by word.
func TestTheControlPlaneComesUpWithoutTheWebhookAndTheGlassCanBeBroken(t *testing.T) {
	shop := newApp(t, governed(t, "shop"), "web")
	made := begin(t, creating(shop))
	made.works(t)
	components := []string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}
	for _, name := range append([]string{platform.Server}, components...) {
		do(t, func() error { return cp.Kill(name) })
	}
	early := inTheDark(t)
	for _, name := range components {
		do(t, func() error { return cp.Restart(t.Context(), name) })
	}
	early.isReady(t, http.StatusOK)
	made.more(t, 3, good, uncalled)
	made.more(t, 3, bad, uncalled)
	made.stop()
	made.holds(t, uncalled, failed)
	made.counted(t, shop)
	for _, free := range []string{platform.Namespace, "kube-system", "default"} {
		eventually(t, func() error { // its service account may be a moment late
			return world.Client.Create(t.Context(), podOf(free, "free-"), client.DryRunAll)
		})
	}

	for _, command := range commandsOf(t, "**Break-glass.**") {
		kubectl(t, command)
		becomes(t, shop, admitted)
		putBack(t)
		becomes(t, shop, uncalled)
	}

	do(t, func() error { return cp.Restart(t.Context(), platform.Server) })
	again := begin(t, trying(shop), asking(early.URL, shop))
	again.works(t)
	again.stop()
	again.holds(t, uncalled, refused(http.StatusServiceUnavailable))
}

// inTheDark starts a server while there is no control plane: it is alive, waits,
// and does not end.
func inTheDark(t *testing.T) server {
	t.Helper()
	s, process := another(t, "in-the-dark", platform.Options{})
	process.Ready = controlplane.HTTPReady(s.Probes+"/healthz", cp.CA())
	do(t, func() error { return cp.Run(t.Context(), process) })
	s.survives(t)
	s.isReady(t, http.StatusInternalServerError, "[-]classes failed", "[-]releases failed")
	return s
}

// What was refused while the webhook was away is kicked as the documents say.
func TestADeploymentIsKickedAfterwardsAsDocumented(t *testing.T) {
	space := governed(t, "kicked")
	a := newApp(t, space, "web")
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "web", Labels: a.flux()},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(2)), Selector: a.selector("kicked"),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "kicked"}}, Spec: podSpec("dc1")}},
	}
	service.withdraw(platform.Server)
	service.cut()
	put(t, deployment)
	eventually(t, func() error {
		var sets appsv1.ReplicaSetList
		if err := world.Client.List(t.Context(), &sets, client.InNamespace(space), client.MatchingLabels{"app": "kicked"}); err != nil {
			return err
		}
		for _, set := range sets.Items {
			for _, condition := range set.Status.Conditions {
				if condition.Type == appsv1.ReplicaSetReplicaFailure {
					return nil
				}
			}
		}
		return fmt.Errorf("no ReplicaSet has failed yet")
	})
	service.serve(platform.Server, world.URL)
	for _, command := range commandsOf(t, "**Afterwards.**") {
		kubectl(t, command+" --namespace="+space)
	}
	eventually(t, func() error {
		var pods corev1.PodList
		err := world.Client.List(t.Context(), &pods, client.InNamespace(space), client.MatchingLabels{"app": "kicked"})
		if err == nil && len(pods.Items) < 2 {
			err = fmt.Errorf("%d Pods", len(pods.Items))
		}
		return err
	})
	do(t, func() error {
		return world.Client.Delete(t.Context(), deployment, client.PropagationPolicy("Background"))
	})
}

func (a app) selector(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

// putBack restores what breaking the glass has taken away.
func putBack(t *testing.T) {
	t.Helper()
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	patch := []byte(`{"metadata":{"labels":{"` + enforce + `":"deny"}}}`)
	do(t, func() error {
		return world.Client.Patch(t.Context(), shop, client.RawPatch("application/merge-patch+json", patch))
	})
	do(t, func() error { return world.Configure(t.Context(), service.url) })
}

// becomes waits for what becomes of a bad Pod: the API server learns of changes to
// webhooks and namespaces by watches.
func becomes(t *testing.T, a app, want outcome) {
	t.Helper()
	eventually(t, func() error {
		if got, said := create(t.Context(), a.pod(bad), client.DryRunAll); got != want {
			return fmt.Errorf("a Pod was %s, wanted %s: %s", got, want, said)
		}
		return nil
	})
}
