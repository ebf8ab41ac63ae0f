package fault_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// What does not exist and what exists in a namespace that is not the asker's: all
// that the server tells of the one it tells of the other, by answers, metrics and
// Events, and by what it remembers for a second question.
func TestNothingToldDiffersBetweenWhatIsNotThereAndWhatIsElsewhere(t *testing.T) {
	s := replica(t, "secrecy", platform.Options{}) // whose metrics nobody else moves
	namespace(t, "elsewhere", nil)
	for i, test := range []struct {
		name  string
		hold  func(*testing.T, app) metav1.OwnerReference // makes what exists elsewhere
		claim func(claim, *testing.T) *corev1.Pod         // makes a Pod that names it
	}{
		{"an owner", heldReplicaSet, claim.owned},
		{"a release as the owner", heldRelease, claim.owned},
		{"an owner of an owner", heldReplicaSet, claim.ownedAbove},
		{"a Flux label on the Pod", heldRelease, claim.labelled},
		{"a Flux label on the Pod, of a release for another cluster", heldRemote, claim.labelled},
		{"a Flux label on an owner", heldRelease, claim.labelledAbove},
	} {
		t.Run(test.name, func(t *testing.T) {
			there := app{namespace: "elsewhere", name: fmt.Sprintf("there-%d", i), class: "dc1"}
			there.owner = test.hold(t, there)
			s.remembers(t, there)
			never := there
			never.name = fmt.Sprintf("never-%d", i)
			never.owner.Name = never.name
			var told [2]map[string]any
			for n, of := range []app{never, there} {
				c := claim{of, governed(t, fmt.Sprintf("secrecy-%d-%d", i, n))}
				told[n] = s.tells(t, c, test.claim(c, t))
			}
			if diff := cmp.Diff(told[0], told[1]); diff != "" {
				t.Errorf("of what is not there (-), of what is elsewhere (+):\n%s", diff)
			}
		})
	}
}

// claim is made in a namespace, of something that is elsewhere or nowhere.
type claim struct {
	of   app
	from string
}

func heldReplicaSet(t *testing.T, a app) metav1.OwnerReference {
	return newApp(t, a.namespace, a.name).owner
}

func heldRelease(t *testing.T, a app) metav1.OwnerReference {
	release := a.release()
	put(t, release)
	return owner("helm.toolkit.fluxcd.io/v2", "HelmRelease", a.name, release.GetUID())
}

func heldRemote(t *testing.T, a app) metav1.OwnerReference {
	release := a.release()
	release.Object["spec"].(map[string]any)["kubeConfig"] = map[string]any{"secretRef": map[string]any{"name": "far"}}
	put(t, release)
	return owner("helm.toolkit.fluxcd.io/v2", "HelmRelease", a.name, release.GetUID())
}

func (c claim) owned(*testing.T) *corev1.Pod { return podOf(c.from, "p-", c.of.owner) }

func (c claim) ownedAbove(t *testing.T) *corev1.Pod {
	set := app{namespace: c.from}.replicaSet("middle")
	set.Labels, set.OwnerReferences = nil, []metav1.OwnerReference{c.of.owner}
	set.Finalizers = []string{"fault.example.org/stays"} // the garbage collector takes it for an orphan
	put(t, set)
	return podOf(c.from, "p-", ownerOf(set))
}

func (c claim) labelled(*testing.T) *corev1.Pod {
	pod := podOf(c.from, "p-")
	pod.Labels = c.of.flux()
	return pod
}

func (c claim) labelledAbove(t *testing.T) *corev1.Pod {
	here := c.of
	here.namespace = c.from
	set := here.replicaSet("middle")
	set.Labels = c.of.flux()
	put(t, set)
	return podOf(c.from, "p-", ownerOf(set))
}

// tells is all that the server tells of a Pod, twice, with what differs by design
// made equal: the names.
func (s server) tells(t *testing.T, c claim, pod *corev1.Pod) map[string]any {
	t.Helper()
	told := map[string]any{}
	same := strings.NewReplacer(c.of.name, "NAME", c.from, "SPACE")
	for round := range 2 {
		before := s.scrape(t)
		for _, path := range []string{mutate, validate} {
			got, err := send(t.Context(), s.URL+path, "application/json", reviewOf(pod))
			if err != nil {
				t.Fatal(err)
			}
			told[fmt.Sprint(path, round)] = same.Replace(got.body)
		}
		for series, value := range s.scrape(t) {
			timed := strings.HasPrefix(series, "affinity_review_seconds_bucket") || strings.HasSuffix(strings.SplitN(series, "{", 2)[0], "_seconds") ||
				strings.HasPrefix(series, "affinity_review_seconds_sum")
			if strings.HasPrefix(series, "affinity_") && !timed && value != before[series] {
				told[fmt.Sprint(series, round)] = value - before[series]
			}
		}
	}
	told["events"] = s.events(t, c.from, same)
	return told
}

// events are the server's in a namespace. They are written in the order in which
// they happen, so all are there once that of a last refusal is.
func (s server) events(t *testing.T, in string, same *strings.Replacer) []string {
	t.Helper()
	last := newApp(t, in, "last")
	if got := judged(t, s.URL, last.pod(bad)); got.Allowed {
		t.Errorf("a bad Pod was let in: %s", got.body)
	}
	var told []string
	eventually(t, func() error {
		var events corev1.EventList
		if err := world.Client.List(t.Context(), &events, client.InNamespace(in)); err != nil {
			return err
		}
		told = nil
		for _, event := range events.Items {
			told = append(told, same.Replace(fmt.Sprintf("%s %s/%s: %s %s (%d)", event.Source.Component,
				event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Reason, event.Message, event.Count)))
		}
		slices.Sort(told)
		if !strings.Contains(strings.Join(told, "\n"), "HelmRelease/last") {
			return errors.New("the last refusal has no Event yet")
		}
		return nil
	})
	return told
}
