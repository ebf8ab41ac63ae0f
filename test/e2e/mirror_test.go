package e2e_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage"
)

// The annotation proves nothing: only a node's own request is let by.
func TestAMirrorPodIsJudgedUnlessANodeMakesIt(t *testing.T) {
	space := governed(t, "mirrors")
	w := deploy(t, release{space, "static", "dc2"})
	var node corev1.Node
	if err := world.Client.Get(t.Context(), client.ObjectKey{Name: "dc1-a"}, &node); err != nil {
		t.Fatal(err)
	}
	mirror := w.pod()
	mirror.Name = "static-dc1-a"
	mirror.Annotations = map[string]string{lineage.AnnotationMirrorPod: "x"}
	mirror.Spec.NodeName = node.Name
	log := openAudit(t)

	err := world.Client.Create(t.Context(), mirror.DeepCopy(), client.DryRunAll)
	if !apierrors.IsForbidden(err) || reasonOf(log.reviewed(t, space)) != "ContractBroken" {
		t.Errorf("a user's mirror Pod: %v, audit %v", err, log.reviewed(t, space))
	}

	byNode := openAudit(t)
	mirror.OwnerReferences = append(mirror.OwnerReferences, owner("v1", "Node", node.Name, node.UID))
	mirror.OwnerReferences[0].Controller = new(true)
	if err := nodeClient(t, node.Name).Create(t.Context(), mirror, client.DryRunAll); err != nil {
		t.Errorf("a node's mirror Pod: %v", err)
	}
	if got := byNode.reviewed(t, space); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("a node's mirror Pod was judged: %v", got)
	}
}

// reasonOf is the reason of the only review.
func reasonOf(reviewed []map[string]string) string {
	if len(reviewed) != 1 {
		return ""
	}
	return reviewed[0]["reason"]
}

// nodeClient is what a kubelet of that node is to the API server.
func nodeClient(t *testing.T, node string) client.Client {
	t.Helper()
	config, err := cp.ConfigFor("system:node:"+node, "system:nodes")
	if err != nil {
		t.Fatal(err)
	}
	kubelet, err := client.New(config, client.Options{Scheme: scheme.Scheme, Mapper: world.Client.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return kubelet
}
