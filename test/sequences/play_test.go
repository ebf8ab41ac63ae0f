package sequences_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// play is one sequence.
type play struct {
	ctx   context.Context
	dice  *rand.Rand
	model *model
	tried []string
	seen  map[string]int // what came up, so that a run which shows nothing fails
}

// sizes are the steps of a test run, and of the recorded one.
func steps() int {
	if os.Getenv("AFFINITYCLASS_TEST_SIZE") == "long" {
		return 5000
	}
	return 300
}

func seed(t *testing.T) uint64 {
	if text := os.Getenv("AFFINITYCLASS_TEST_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return given
	}
	return rand.Uint64()
}

func TestReleasesAreWhatTheRulesMakeOfThem(t *testing.T) {
	number := seed(t)
	t.Logf("seed %d: AFFINITYCLASS_TEST_SEED repeats it", number)
	p := &play{ctx: t.Context(), dice: rand.New(rand.NewPCG(number, 0)), model: newModel(), seen: map[string]int{}}
	taken := 0
	for ; taken < steps() || len(p.unseen()) > 0 && taken < 10*steps(); taken++ {
		tried, err := p.step()
		p.tried = append(p.tried, tried)
		if err != nil {
			t.Fatalf("step %d: %v\nafter\n%s", taken, err, p.last())
		}
		for _, space := range spaces {
			p.model.follow(space)
		}
		if err := p.quiet(); err != nil {
			t.Fatalf("step %d: %v\nafter\n%s", taken, err, p.last())
		}
		p.count()
	}
	t.Logf("%d steps: %v", taken, p.seen)
	if unseen := p.unseen(); len(unseen) > 0 {
		t.Errorf("nothing of this run was %q", unseen)
	}
}

// unseen is what has not come up yet. In one run of eight that takes longer than the
// steps of a test run.
func (p *play) unseen() []string {
	return slices.DeleteFunc([]string{"explicit", "default", "parent", "former classes", "refused"},
		func(what string) bool { return p.seen[what] > 0 })
}

func (p *play) count() {
	for _, r := range p.model.releases {
		p.seen[r.source]++
		if len(r.previous) > 0 {
			p.seen["former classes"]++
		}
	}
}

func (p *play) last() string { return strings.Join(p.tried[max(0, len(p.tried)-12):], "\n") }

// lag is how far the watches of the webhook may be behind.
const lag = 40 * time.Millisecond

// quiet waits until everything is as the model has it.
func (p *play) quiet() error {
	time.Sleep(lag)
	var err error
	space := pick(p.dice, spaces...)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(lag) {
		if err = p.compare(); err == nil {
			err = p.pods(space)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

func (p *play) compare() error {
	want, got := map[string]string{}, map[string]string{}
	for key, r := range p.model.releases {
		want[key] = fmt.Sprintf("label %q source %q previous %q given %s", r.label, r.source, strings.Join(r.previous, ","), r.given.text())
	}
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(empty("", "").GroupVersionKind())
	if err := world.Client.List(p.ctx, all); err != nil {
		return err
	}
	for i := range all.Items {
		r := &all.Items[i]
		scheduling, _, _ := unstructured.NestedFieldNoCopy(r.Object, "spec", "values", "_scheduling")
		text, err := json.Marshal(scheduling)
		if err != nil {
			return err
		}
		notes := r.GetAnnotations()
		got[r.GetNamespace()+"/"+r.GetName()] = fmt.Sprintf("label %q source %q previous %q given %s",
			r.GetLabels()["apps.cozystack.io/affinity-class"], notes["affinity.cozystack.io/class-source"], notes["affinity.cozystack.io/previous-class"], text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("releases (-model +cluster):\n%s", diff)
	}
	return nil
}

// text is _scheduling as JSON with its keys in order: every key, always.
func (g given) text() string {
	if g.class == "" {
		return "null"
	}
	tolerations := "[]"
	if g.tolerate != "" {
		tolerations = fmt.Sprintf(`[{"effect":"NoSchedule","key":%q,"operator":"Exists"}]`, g.tolerate)
	}
	selector := fmt.Sprintf(`{%q:%q}`, zone, g.class)
	if g.class == eitherOf {
		selector = "{}"
	}
	return fmt.Sprintf(`{"affinityClass":%q,"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[`+
		`{"matchExpressions":[{"key":%q,"operator":"In","values":[%q]}]}]}},"nodeSelector":%s,"tolerations":%s}`, g.class, zone, g.class, selector, tolerations)
}

// pods asks which Pods the fence of a namespace lets in.
func (p *play) pods(space string) error {
	for _, name := range append(classes, "") {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "probe"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		if name != "" {
			pod.Spec.NodeSelector = map[string]string{zone: name}
		}
		inside := !p.model.restricted(space) || name != "" && p.model.classes[name] && p.model.allows(space, name)
		err := world.Client.Create(p.ctx, pod, client.DryRunAll)
		if inside && err != nil || !inside && !apierrors.IsForbidden(err) {
			return fmt.Errorf("a Pod of %s in zone %q: the model says inside=%v, the API server %v", space, name, inside, err)
		}
	}
	return nil
}

// gone waits until an object that was deleted is.
func (p *play) gone(object client.Object) {
	for range 500 {
		if apierrors.IsNotFound(world.Client.Get(p.ctx, client.ObjectKeyFromObject(object), object)) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
