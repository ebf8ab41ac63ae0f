package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cozystack/affinityclass/webhook/review"
)

const narrow = "; narrow it by spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"

func TestCodesOfClassesWithTerms(t *testing.T) {
	space := governed(t, "codes-terms")
	fast := writtenClass(t, "dc12")
	fast.Name, fast.Spec.NodeSelector = "fast12", map[string]string{"disk": "ssd"}
	far := writtenClass(t, "dc12")
	far.Name, far.Spec.NodeSelectorTerms[0].MatchExpressions[0].Values = "far", []string{"dc3"}
	establish(t, writtenClass(t, "dc12"), fast, far)
	either, plain := deploy(t, release{space, "either", "dc12"}), deploy(t, release{space, "plain", "dc1"})
	broken := func(causes int, what string) refusal {
		r := refusal{Code: 403, Reason: metav1.StatusReasonForbidden, Message: what}
		for range causes {
			r.Causes = append(r.Causes, review.CauseViolation)
		}
		return r
	}
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		want refusal
	}{
		{
			name: "a node outside that the Pod allows", pod: requiring(either.pod(), in(zone, "dc1", "dc3")),
			want: broken(1, `Pod codes-terms/either (Bucket either): AffinityClass "dc12": a node with topology.kubernetes.io/zone=dc3 `+
				`would be accepted by the Pod but is outside class "dc12"`+narrow),
		}, {
			name: "no constraint at all", pod: either.pod(),
			want: broken(1, `Pod codes-terms/either (Bucket either): AffinityClass "dc12": a node with no labels `+
				`would be accepted by the Pod but is outside class "dc12"`+narrow),
		}, {
			name: "an affinity that is too complex to decide", pod: requiring(either.pod(), in(zone, manyZones()...)),
			want: broken(1, `Pod codes-terms/either (Bucket either): AffinityClass "dc12": a node of class "dc12" is required, `+
				`which could not be proven of so complex an affinity`+narrow),
		}, {
			name: "a selector and terms, all at once", pod: deploy(t, release{space, "fast", "fast12"}).inZone("dc3").pod(),
			want: broken(2, `Pod codes-terms/fast (Bucket fast): AffinityClass "fast12" requires nodeSelector disk=ssd (found none); `+
				`AffinityClass "fast12": a node with topology.kubernetes.io/zone=dc3 would be accepted by the Pod but is outside class "fast12"`+narrow),
		}, {
			name: "an affinity that says less than the selector", pod: requiring(plain.pod(), in(zone, "dc1", "dc2")),
			want: broken(1, `Pod codes-terms/plain (Bucket plain): AffinityClass "dc1" requires nodeSelector `+
				`topology.kubernetes.io/zone=dc1 (not implied by affinity); set it in spec.nodeSelector`),
		}, {
			name: "two releases whose terms no node fits both", pod: requiring(ofTwoReleases(t, plain, deploy(t, release{space, "remote", "far"})), in(zone, "dc1")),
			want: refusal{409, metav1.StatusReasonConflict, []metav1.CauseType{review.CauseViolation},
				`Pod codes-terms/torn (Bucket plain, Bucket remote): it belongs to releases with contradicting classes: AffinityClass "dc1" and "far"; ` +
					`give the releases one class, or leave the Pod one owner`},
		},
	} {
		t.Run(test.name, func(t *testing.T) { refused(t, test.pod, test.want) })
	}
	for name, pod := range map[string]*corev1.Pod{
		"one of them": either.inZone("dc2").pod(), "both of them": requiring(either.pod(), in(zone, "dc2", "dc1")),
		"a selector said by affinity": requiring(plain.pod(), in(zone, "dc1")),
	} {
		if got, no := tried(t, pod); no {
			t.Errorf("a Pod that keeps its class by %s: %+v", name, got)
		}
	}
}

// The guide explains a witness by a message; the server must say so too.
func TestTheGuideShowsTheWitnessAsTheServerSaysIt(t *testing.T) {
	establish(t, writtenClass(t, "dc12"))
	space := governed(t, "codes-guide")
	db := deploy(t, release{space, "db", "dc12"})
	got, _ := tried(t, requiring(db.pod(), in(zone, "dc1", "dc3")))
	_, sentence, _ := strings.Cut(got.Message, "): ")
	if sentence == "" || !strings.Contains(text(t, "docs/classes.md"), "Pod shop/db-1 (Postgres db): "+sentence+"\n") {
		t.Errorf("docs/classes.md does not show %q", sentence)
	}
}

// requiring adds a term of required node affinity to a Pod: one of the terms is
// to hold.
func requiring(pod *corev1.Pod, requirements ...corev1.NodeSelectorRequirement) *corev1.Pod {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{},
		}}
	}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	required.NodeSelectorTerms = append(required.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: requirements})
	return pod
}

func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}
}

func manyZones() []string {
	zones := make([]string, 20_000)
	for i := range zones {
		zones[i] = fmt.Sprintf("z%d", i)
	}
	return zones
}

// into reads a written object as its type.
func into(t *testing.T, from interface{ UnstructuredContent() map[string]any }, to any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.UnstructuredContent(), to); err != nil {
		t.Fatal(err)
	}
}
