package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// author may write Pods and workloads in one namespace, and see nothing of others.
func author(t *testing.T, space string) (client.Client, *heard) {
	t.Helper()
	name := "author-of-" + space
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "author"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
	})
	config, err := cp.ConfigFor(name, "system:authenticated")
	must(t, err)
	h := &heard{}
	config.WarningHandler = rest.WarningHandler(h)
	c, err := client.New(config, client.Options{Scheme: world.Client.Scheme()})
	must(t, err)
	return c, h
}

// previews are those that come with an answer.
func (h *heard) previews(t *testing.T, do func() error) []string {
	t.Helper()
	h.mu.Lock()
	h.said = nil
	h.mu.Unlock()
	must(t, do())
	_, previews := h.apart()
	return previews
}

func TestADryRunOfAPodIsPreviewedByWhatItsUserMaySee(t *testing.T) {
	s, other := judged(t, "bin-rehearsal")
	other.has(t, player{name: "busy", on: s.a})
	s.has(t, player{name: "web", tags: "web", on: s.a})
	admin, heardByAdmin := listening(t, "jane")
	tenant, heardByTenant := author(t, s.namespace)
	trying := func(c client.Client, options ...client.CreateOption) func() error {
		return func() error {
			pod := s.pod(t, player{name: "tried", asks: `{"prefer_with_tag":["web"]}`})
			err := c.Create(t.Context(), pod, options...)
			if err == nil && len(options) == 0 {
				remove(t, pod)
			}
			return err
		}
	}
	eventually(t, func() error {
		whole := heardByAdmin.previews(t, trying(admin, client.DryRunAll))
		if len(whole) == 0 || !strings.HasPrefix(whole[0], "preview: 3 of ") || !strings.Contains(whole[0], "; "+s.a+" (tier +1, score ") {
			return fmt.Errorf("an administrator is told %q", whole)
		}
		return nil
	})
	counts := heardByTenant.previews(t, trying(tenant, client.DryRunAll))
	if len(counts) != 1 || !strings.HasPrefix(counts[0], "preview: 3 of ") || !strings.HasSuffix(counts[0], " nodes") {
		t.Errorf("a tenant is told %q", counts)
	}
	for name, got := range map[string][]string{
		"an administrator": heardByAdmin.previews(t, trying(admin)), "a tenant": heardByTenant.previews(t, trying(tenant)),
	} {
		if len(got) > 0 {
			t.Errorf("a real request of %s is answered with %q", name, got)
		}
	}
}

func TestADryRunOfAWorkloadIsPreviewed(t *testing.T) {
	space := governed(t, "rehearsed-workloads")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	admin, h := listening(t, "jane")
	objects := map[string]client.Object{
		"Deployment": w.deployment(2), "ReplicaSet": w.replicaSet(2), "StatefulSet": w.statefulSet(),
		"DaemonSet": w.daemonSet(), "Job": w.job(), "CronJob": w.cronJob("0 0 29 2 *"),
	}
	for kind, object := range objects {
		eventually(t, func() error {
			got := h.previews(t, func() error {
				return admin.Create(t.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
			})
			if !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, "preview: 3 of ") }) {
				return fmt.Errorf("%s: %q", kind, got)
			}
			return nil
		})
	}
	// Nothing but the number of Pods changes: really it is nobody's business, and in a
	// dry run the question is where they would go.
	d := w.deployment(1)
	create(t, d)
	scaled := func(options ...client.PatchOption) func() error {
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":3}}`))
		return func() error { return admin.Patch(t.Context(), d.DeepCopy(), patch, options...) }
	}
	eventually(t, func() error {
		if got := h.previews(t, scaled(client.DryRunAll)); len(got) == 0 || !strings.Contains(got[0], "3 of 3 Pods would find a node") {
			return fmt.Errorf("scaled in a dry run: %q", got)
		}
		return nil
	})
	if diff := cmp.Diff([]string(nil), h.previews(t, scaled())); diff != "" {
		t.Errorf("scaled in earnest (-want +got):\n%s", diff)
	}
	remove(t, d)
}

// A tag in another namespace is no secret that a preview would tell.
func TestAPreviewTellsNothingOfAnotherNamespacesTags(t *testing.T) {
	s, other := judged(t, "bin-peek")
	tenant, h := author(t, s.namespace)
	told := func(value string) []string {
		return h.previews(t, func() error {
			pod := podOf(s.namespace, "tried")
			pod.Annotations = map[string]string{"affinity.cozystack.io/binary": value}
			pod.Spec.NodeSelector = map[string]string{stageLabel: s.name}
			return tenant.Create(t.Context(), pod, client.DryRunAll)
		})
	}
	values := []string{`{"prefer_with_tag":["secret"]}`, `{"require_without_tag":["secret"]}`}
	var before, after [][]string
	for _, value := range values {
		before = append(before, told(value))
	}
	for _, node := range []string{s.a, s.b} {
		other.has(t, player{name: "secret-" + node, tags: "secret", on: node})
	}
	for _, value := range values {
		after = append(after, told(value))
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("(-without the tag +with it):\n%s", diff)
	}
	if len(before[0]) == 0 {
		t.Error("nothing is told at all")
	}
	var pods corev1.PodList
	if err := tenant.List(t.Context(), &pods, client.InNamespace(other.namespace)); err == nil {
		t.Error("the user may list the other namespace: nothing is shown by this test")
	}
}
