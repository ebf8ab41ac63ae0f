package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// found is what affinityctl audit finds.
type found struct {
	Summary  struct{ Pods, Allowed, Denied, Outside, Unknown int }
	Releases []struct {
		Release, Class, Mode string
		Findings             []struct {
			Pod, Verdict, Message string
			Outside               bool
		}
	}
}

// asReader is the kubeconfig of a user who may read what affinityctl reads, and no more.
func asReader(t *testing.T) string {
	t.Helper()
	read := func(group string, resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: []string{"get", "list"}, APIGroups: []string{group}, Resources: resources}
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "ctl-reader"}, Rules: []rbacv1.PolicyRule{
		read("", "pods", "nodes", "namespaces", "resourcequotas"), read("apps", "*"), read("batch", "*"),
		read("scheduling.k8s.io", "priorityclasses"), read("resource.k8s.io", "resourceclaims", "resourceslices"),
		read("cozystack.io", "*"), read("apps.cozystack.io", "tenants"), read("helm.toolkit.fluxcd.io", "helmreleases"),
	}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "ctl-reader"},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "ctl-reader"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "ctl-reader"}}}
	create(t, role, binding)
	t.Cleanup(func() { remove(t, role, binding) })
	kubeconfig, err := world.Kubeconfig("ctl-reader", "ctl-reader", "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// An audit of a namespace that only warns lists what is refused once it denies, word for
// word, and what stands on a node that has left its class. It takes no right but to read.
func TestAffinityctlAuditsWhatAdmissionWouldRefuse(t *testing.T) {
	space := namespace(t, "ctl-audit", map[string]string{enforce: "warn"})
	must(t, cp.AddNodes(t.Context(), []controlplane.NodeSpec{{Name: "audited", Labels: map[string]string{zone: "dc-audit"}}}))
	establish(t, class("dc-audit"))
	create(t, deploy(t, release{space, "good", "dc-audit"}).inZone("dc-audit").deployment(1), deploy(t, release{space, "bad", "dc-audit"}).deployment(1))
	pods := running(t, space, 2)
	kubeconfig, log := asReader(t), openAudit(t)

	report := auditOf(t, kubeconfig, space)
	if s := report.Summary; s.Pods != 2 || s.Allowed != 1 || s.Denied != 1 || s.Unknown != 0 || len(report.Releases) != 1 {
		t.Fatalf("%+v", report)
	}
	bad := report.Releases[0]
	if bad.Release != space+"/bad" || bad.Class != "dc-audit" || bad.Mode != "warn" {
		t.Errorf("%+v", bad)
	}
	agrees(t, kubeconfig, space, pods["bad"], bad.Findings[0].Message)

	relabel(t, "audited", "elsewhere")
	good := auditOf(t, kubeconfig, space).Releases
	if len(good) != 2 || len(good[1].Findings) != 1 || good[1].Findings[0].Pod != pods["good"].Name || !good[1].Findings[0].Outside || good[1].Findings[0].Verdict != "Allowed" {
		t.Errorf("the Pod on a node that was relabelled is not found: %+v", good)
	}
	for _, event := range log.events(t, "ctl-reader") {
		if event.User.Username == "ctl-reader" && (event.Verb != "get" && event.Verb != "list" || event.ResponseStatus.Code == 403) {
			t.Errorf("%s %s: %d", event.Verb, event.RequestURI, event.ResponseStatus.Code)
		}
	}
}

// agrees compares what affinityctl says of a Pod with what admission says of its like.
func agrees(t *testing.T, kubeconfig, space string, pod corev1.Pod, message string) {
	t.Helper()
	out, said, code := affinityctl(t, kubeconfig, "why", "pod/"+pod.Name, "-n", space, "--mode", "deny", "-o", "json")
	var why struct {
		Items []struct{ Verdict, Message string }
	}
	if err := json.Unmarshal([]byte(out), &why); err != nil || code != 1 || why.Items[0].Verdict != "Denied" || why.Items[0].Message != message {
		t.Errorf("why: exit %d, %v, wanted %q\n%s%s", code, err, message, out, said)
	}
	tree, said, code := affinityctl(t, kubeconfig, "lineage", "pod/"+pod.Name, "-n", space)
	if code != 0 || !strings.Contains(tree, "Deployment bad  (controller reference)\n      └─ HelmRelease "+space+"/bad  (Flux label)\nResolved: ") {
		t.Errorf("lineage: exit %d\n%s%s", code, tree, said)
	}
	setMode(t, space, "deny")
	again := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: space, GenerateName: pod.GenerateName, Labels: pod.Labels, OwnerReferences: pod.OwnerReferences}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "none"}}}}
	eventually(t, func() error {
		err := world.Client.Create(t.Context(), again.DeepCopy(), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), message) {
			return fmt.Errorf("admission says %v, affinityctl %q", err, message)
		}
		return nil
	})
}

func auditOf(t *testing.T, kubeconfig, space string) *found {
	t.Helper()
	out, said, code := affinityctl(t, kubeconfig, "audit", "-n", space, "-o", "json")
	report := &found{}
	if err := json.Unmarshal([]byte(out), report); err != nil || code != 1 || said != "" {
		t.Fatalf("audit: exit %d, %v\n%s%s", code, err, out, said)
	}
	return report
}

// running waits for so many Pods on nodes, and gives them by their app.
func running(t *testing.T, space string, many int) map[string]corev1.Pod {
	t.Helper()
	byApp := map[string]corev1.Pod{}
	eventually(t, func() error {
		list := &corev1.PodList{}
		if err := world.Client.List(t.Context(), list, client.InNamespace(space)); err != nil {
			return err
		}
		if len(list.Items) != many || slices.ContainsFunc(list.Items, func(p corev1.Pod) bool { return p.Spec.NodeName == "" }) {
			return fmt.Errorf("%d Pods, not all on nodes", len(list.Items))
		}
		for _, pod := range list.Items {
			byApp[pod.Labels["app"]] = pod
		}
		return nil
	})
	return byApp
}

func relabel(t *testing.T, node, zoneName string) {
	t.Helper()
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, zone, zoneName)
	must(t, world.Client.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))))
}

func setMode(t *testing.T, space, mode string) {
	t.Helper()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, enforce, mode)
	must(t, world.Client.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))))
}

// A Pod that waits is told why, and a user who may read nothing is told which right is
// missing, never a verdict.
func TestAffinityctlWhyTellsWhatItCannotTell(t *testing.T) {
	space := governed(t, "ctl-why")
	pod := deploy(t, release{space, "waits", "dc1"}).inZone("dc1").pod()
	pod.Spec.NodeSelector["disk"] = "none-such"
	create(t, pod)
	t.Cleanup(func() { remove(t, pod) })
	out, said, code := affinityctl(t, cp.Kubeconfig(), "why", "pod/waits", "-n", space)
	if code != 0 || !strings.Contains(out, "Pod ctl-why/waits: Allowed (ContractKept)") || !strings.Contains(out, "it waits for a node: Unsatisfiable, 0 of ") {
		t.Errorf("exit %d\n%s%s", code, out, said)
	}
	nobody, err := world.Kubeconfig("nobody", "nobody", "system:authenticated")
	must(t, err)
	for _, args := range [][]string{{"why", "pod/waits"}, {"audit"}, {"lineage", "pod/waits"}, {"nodes"}} {
		out, said, code := affinityctl(t, nobody, append(args, "-n", space)...)
		if code != 4 || out != "" || !strings.Contains(said, `User "nobody" cannot `) {
			t.Errorf("%v: exit %d\n%s%s", args, code, out, said)
		}
	}
}
