package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// heard keeps the warnings that come with answers.
type heard struct {
	mu   sync.Mutex
	said []string
}

func (h *heard) HandleWarningHeader(_ int, _ string, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, text)
}

// during are the warnings of the server's that came while do ran, without the previews
// that dry runs are answered with.
func (h *heard) during(t *testing.T, do func(client.Client) error, of client.Client) []string {
	t.Helper()
	h.said = nil
	if err := do(of); err != nil {
		t.Fatal(err)
	}
	said, _ := h.apart()
	return said
}

// apart are the warnings without previews, and the previews.
func (h *heard) apart() (said, previews []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, text := range h.said {
		if strings.HasPrefix(text, "preview: ") {
			previews = append(previews, text)
		} else {
			said = append(said, text)
		}
	}
	return said, previews
}

// listening is a client of a user that hears warnings.
func listening(t *testing.T, user string) (client.Client, *heard) {
	t.Helper()
	config, err := cp.ConfigFor(user, "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	h := &heard{}
	config.WarningHandler = rest.WarningHandler(h)
	c, err := client.New(config, client.Options{Scheme: world.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c, h
}

// templates are one object of each kind that has a Pod template.
func templates(w workload) map[string]client.Object {
	return map[string]client.Object{
		"Deployment": w.deployment(0), "StatefulSet": w.statefulSet(), "DaemonSet": w.daemonSet(),
		"Job": w.job(), "CronJob": w.cronJob("0 0 29 2 *"),
	}
}

// warned asks until the warnings are these: a webhook that may be passed over is
// given a second, which a busy machine may not have.
func warned(t *testing.T, user, what string, want []string, do func(client.Client) error) {
	t.Helper()
	c, h := listening(t, user)
	eventually(t, func() error {
		if diff := cmp.Diff(want, h.during(t, do, c)); diff != "" {
			return fmt.Errorf("%s, wanted (-), got (+):\n%s", what, diff)
		}
		return nil
	})
}

func TestTemplatesThatBreakTheirClassAreWarnedAbout(t *testing.T) {
	space := governed(t, "template")
	bare := deploy(t, release{space, "web", "dc1"})
	lost := deploy(t, release{space, "lost", "dc8"})
	softly := deploy(t, release{namespace(t, "template-audit", map[string]string{enforce: "audit"}), "web", "dc1"})
	for kind, object := range templates(bare) {
		warned(t, "jane", kind, []string{kind + ` template/web (Bucket web): AffinityClass "dc1": nodeSelector topology.kubernetes.io/zone=dc1 is required, found none`}, dryCreate(t, object))
	}
	for kind, object := range templates(lost) {
		warned(t, "jane", kind, []string{kind + ` template/lost (Bucket lost): AffinityClass "dc8" not found; have the platform admin create it, or name another class on the application`}, dryCreate(t, object))
	}
	before := looked(t)
	for kind, object := range templates(bare.inZone("dc1")) {
		warned(t, "jane", kind+" that keeps its class", nil, dryCreate(t, object))
	}
	for kind, object := range templates(softly) {
		warned(t, "jane", kind+" where broken contracts are recorded alone", nil, dryCreate(t, object))
	}
	if asked := looked(t) - before; asked != 10 {
		t.Errorf("%v templates were looked at, wanted 10", asked)
	}
	for kind, object := range templates(bare) {
		warned(t, "system:serviceaccount:kube-system:cronjob-controller", kind+" by a controller of Kubernetes", nil, dryCreate(t, object))
	}
	if asked := looked(t) - before; asked != 10 {
		t.Error("templates were looked at that a controller of Kubernetes wrote")
	}
}

// looked counts the templates that the server was asked about, of every kind.
func looked(t *testing.T) float64 {
	t.Helper()
	sum := 0.0
	for line := range strings.Lines(scrape(t)) {
		series, value, _ := cutLast(strings.TrimSpace(line))
		if strings.HasPrefix(series, "affinity_review_total{") && !strings.Contains(series, `resource="pods"`) && !strings.Contains(series, `resource="affinityclasses"`) {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += number
		}
	}
	return sum
}

func dryCreate(t *testing.T, object client.Object) func(client.Client) error {
	return func(c client.Client) error {
		return c.Create(t.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

func TestOnlyAnUpdateOfTheTemplateIsLookedAt(t *testing.T) {
	space := governed(t, "template-edit")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	create(t, w.deployment(0))
	replicaSetOf(t, w) // the controller has written its annotation
	before := metric(t, deployments)
	edit := func(change func(*appsv1.Deployment)) func(client.Client) error {
		return func(c client.Client) error {
			object := w.deployment(0)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				return err
			}
			change(object)
			return c.Update(t.Context(), object, client.DryRunAll)
		}
	}
	warned(t, "jane", "an edit beside the template", nil, edit(func(d *appsv1.Deployment) { d.Annotations["note"] = "x"; d.Spec.Replicas = new(int32(3)) }))
	if asked := metric(t, deployments) - before; asked != 0 {
		t.Errorf("an edit beside the template was looked at %v times", asked)
	}
	warned(t, "jane", "an edit that drops the selector",
		[]string{`Deployment template-edit/web (Bucket web): AffinityClass "dc1": nodeSelector topology.kubernetes.io/zone=dc1 is required, found none`},
		edit(func(d *appsv1.Deployment) { d.Spec.Template.Spec.NodeSelector = nil }))
}

const deployments = `affinity_review_total{action="Deny",class="dc1",reason="ContractBroken",resource="deployments"`

// As a person sees it.
func TestKubectlShowsTheWarningOfATemplate(t *testing.T) {
	space := governed(t, "template-shell")
	w := deploy(t, release{space, "web", "dc1"})
	const want = `Warning: Deployment template-shell/web (Bucket web): AffinityClass "dc1": nodeSelector topology.kubernetes.io/zone=dc1 is required, found none` + "\n"
	eventually(t, func() error {
		out, said, err := kubectl(t, manifest(t, w.deployment(0)), "apply", "--dry-run=server", "-f", "-")
		if err != nil || said != want || !strings.Contains(out, "deployment.apps/web created") {
			return fmt.Errorf("kubectl apply: %v\n%s%s", err, out, said)
		}
		return nil
	})
}
