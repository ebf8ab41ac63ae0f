package review_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/webhook/review"
)

// stage is a cluster of four nodes: two in dc1, one of them with a Pod of another
// namespace, one in dc2, and one that is tainted.
func stage() []any {
	tainted := ssd("n4")
	tainted.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	objects := []any{ssd("n1"), ssd("n2"), dc2("n3"), tainted, bearer("bank", "n1", "vault")}
	for _, object := range objects {
		if n, ok := object.(*corev1.Node); ok {
			n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("4")
		}
	}
	return objects
}

const (
	podText    = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"%s},"spec":{"nodeSelector":{"zone":"dc1"},"containers":[{"name":"c","resources":{"requests":{"cpu":"%s"}}}]}}`
	deployment = `{"apiVersion":"apps/v1","kind":"%s","metadata":{"name":"web"},"spec":{"replicas":%d,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"nodeSelector":{"zone":"dc1"},"containers":[{"name":"c","resources":{"requests":{"cpu":"3"}}}]}}}}`
	cronJob    = `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"web"},"spec":{"jobTemplate":{"spec":{"template":{"metadata":{},"spec":{"containers":[{"name":"c"}]}}}}}}`
)

func podThat(asks, cpu string) string { return fmt.Sprintf(podText, asks, cpu) }

func TestPreviews(t *testing.T) {
	const others = "preview: dropped: 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): untolerated NoSchedule taint dedicated=gpu"
	const busy = "preview: dropped: 1 node(s): cpu requests %s, only 2500m free; 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): untolerated NoSchedule taint dedicated=gpu"
	const unwanted = "preview: dropped: 1 node(s): cpu requests 8, only 2500m free; 1 node(s): cpu requests 8, only 4 free; 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): untolerated NoSchedule taint dedicated=gpu"
	tests := []struct {
		name   string
		object string
		all    []string // told to who may see all
		some   string   // told to others
	}{
		{"a Pod that fits", podThat("", "1"), []string{
			"preview: 2 of 4 nodes; n2 (score 0), then n1 (score -2) by LeastLoaded (kube-scheduler may rank otherwise)", others,
		}, "preview: 2 of 4 nodes"},
		{"a Pod that prefers", podThat(`,"annotations":{"affinity.cozystack.io/binary":"{\"prefer_with_tag\":[\"web\"]}"}`, "1"), []string{
			"preview: 2 of 4 nodes; n1 (tier +1, score -2), then n2 (tier +0, score 0) by LeastLoaded (kube-scheduler may rank otherwise)", others,
		}, "preview: 2 of 4 nodes"},
		{"a Pod for which there is no room", podThat("", "8"), []string{
			"preview: 0 of 4 nodes: Unsatisfiable", unwanted,
		}, "preview: 0 of 4 nodes"},
		{"a Pod whose neighbours' node is full", podThat(`,"annotations":{"affinity.cozystack.io/binary":"{\"require_with_tag\":[\"web\"]}"}`, "3"), []string{
			"preview: 0 of 4 nodes: NoCapacity, 500m cpu short, full only on the 1 node that satisfies require_with_tag web",
			"preview: dropped: 1 node(s): cpu requests 3, only 2500m free; 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): require_with_tag web: no Pod there bears it; 1 node(s): untolerated NoSchedule taint dedicated=gpu",
		}, "preview: 0 of 4 nodes"},
		{"a Pod that prefers and has no choice", podThat(`,"annotations":{"affinity.cozystack.io/binary":"{\"prefer_with_tag\":[\"web\"]}"}`, "3"), []string{
			"preview: 1 of 4 nodes; n2 (tier +0, score 0) by LeastLoaded (kube-scheduler may rank otherwise); preferences not informative: only 1 candidates", fmt.Sprintf(busy, "3"),
		}, "preview: 1 of 4 nodes"},
		{"a Pod that names its node", strings.Replace(podThat("", "1"), `"spec":{`, `"spec":{"nodeName":"n2",`, 1), []string{
			"preview: 1 of 4 nodes; n2 (score 0) by LeastLoaded (kube-scheduler may rank otherwise); forced by spec.nodeName",
			"preview: dropped: 3 node(s): nodeName n2 asked",
		}, "preview: 1 of 4 nodes"},
		{"a Pod that is too many", podThat("", "3500m"), []string{
			"preview: 1 of 4 nodes; n2 (score 0) by LeastLoaded (kube-scheduler may rank otherwise)", fmt.Sprintf(busy, "3500m"),
		}, "preview: 1 of 4 nodes"},
		{"a workload of which some Pods find a node", fmt.Sprintf(deployment, "Deployment", 3), []string{
			"preview: 1 of 4 nodes for the first Pod; 1 of 3 Pods would find a node; n2 (score 0) by LeastLoaded (kube-scheduler may rank otherwise)",
			"preview: Pods by node: n2 1", "preview: Pod 2 of 3 Pods: 0 of 4 nodes: NoCapacity, 500m cpu short",
			"preview: dropped: 1 node(s): cpu requests 3, only 1 free; 1 node(s): cpu requests 3, only 2500m free; 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): untolerated NoSchedule taint dedicated=gpu",
		}, "preview: 1 of 4 nodes for the first Pod; 1 of 3 Pods would find a node"},
		{"a ReplicaSet of one", fmt.Sprintf(deployment, "ReplicaSet", 1), []string{
			"preview: 1 of 4 nodes; n2 (score 0) by LeastLoaded (kube-scheduler may rank otherwise)", fmt.Sprintf(busy, "3"),
		}, "preview: 1 of 4 nodes"},
		{"a workload that waits for its own like", strings.Replace(fmt.Sprintf(deployment, "Deployment", 1), `"metadata":{"labels":{"app":"web"}}`,
			`"metadata":{"labels":{"tag.affinity.cozystack.io/db":""},"annotations":{"affinity.cozystack.io/binary":"{\"require_with_tag\":[\"db\"]}"}}`, 1), []string{
			"preview: 0 of 4 nodes: Unsatisfiable, the first of a group that asks for its own tag db",
			"preview: dropped: 1 node(s): cpu requests 3, only 2500m free; 1 node(s): nodeSelector zone=dc1 not satisfied; 1 node(s): require_with_tag db: no Pod there bears it; 1 node(s): untolerated NoSchedule taint dedicated=gpu",
		}, "preview: 0 of 4 nodes"},
		{"a workload of none", fmt.Sprintf(deployment, "StatefulSet", 0), nil, ""},
		{"a DaemonSet is asked of each node", fmt.Sprintf(deployment, "DaemonSet", 0), []string{"preview: 1 of 4 nodes would run its Pod", fmt.Sprintf(busy, "3")}, "preview: 1 of 4 nodes would run its Pod"},
		{"a CronJob", cronJob, []string{
			"preview: 3 of 4 nodes; n2 (score 0), then n3 (score 0), 2 alike by LeastLoaded (kube-scheduler may rank otherwise)",
			"preview: dropped: 1 node(s): untolerated NoSchedule taint dedicated=gpu",
		}, "preview: 3 of 4 nodes"},
		{"what cannot be read", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{}}`, []string{
			"preview: not to be had: Deployment: spec.template is missing",
		}, "preview: not to be had: Deployment: spec.template is missing"},
	}
	state := append(stage(), tagged("shop", "n1", "web", "1500m"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := shop()
			r := review.New(w.begin, w, review.Options{State: &placedAt{cached: state}})
			whole := r.Preview(&review.Draft{Namespace: "shop", Object: []byte(tt.object), All: true})
			if diff := cmp.Diff(tt.all, whole, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("told to who may see all (-want +got):\n%s", diff)
			}
			counts := r.Preview(&review.Draft{Namespace: "shop", Object: []byte(tt.object)})
			if diff := cmp.Diff(tt.some, strings.Join(counts, "\n")); diff != "" {
				t.Errorf("told to others (-want +got):\n%s", diff)
			}
		})
	}
}

// tagged is a placed Pod with a tag that takes cpu.
func tagged(namespace, node, tag, cpu string) *corev1.Pod {
	p := bearer(namespace, node, tag)
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
	}}}
	return p
}

// Whatever is asked, nobody without the right learns a name, a taint or a load.
func TestAPreviewWithoutTheRightHasNumbersAlone(t *testing.T) {
	w, _ := shop()
	r := review.New(w.begin, w, review.Options{State: &placedAt{cached: stage()}})
	for _, object := range []string{podThat("", "1"), podThat("", "8"), podThat("", "3900m"), fmt.Sprintf(deployment, "Deployment", 9), fmt.Sprintf(deployment, "DaemonSet", 0)} {
		for _, text := range r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object)}) {
			for _, secret := range []string{"n1", "n2", "n3", "n4", "gpu", "dc1", "short", "cpu", "Capacity", "bank", "vault", "dropped"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s\ntells %q: %s", object, secret, text)
				}
			}
		}
	}
}

func TestPreviewsKeepTheBoundsOfWarnings(t *testing.T) {
	state := []any{}
	for i := range 200 {
		n := nodeIn(fmt.Sprintf("node-with-a-very-long-name-%03d.example.internal", i), fmt.Sprintf("zone-%03d", i))
		n.Spec.Taints = []corev1.Taint{{Key: fmt.Sprintf("taint-%03d", i), Effect: corev1.TaintEffectNoSchedule}}
		if i%2 == 0 {
			n.Spec.Taints = nil
		}
		state = append(state, n)
	}
	object := strings.ReplaceAll(fmt.Sprintf(deployment, "Deployment", 2_000_000_000), `"nodeSelector":{"zone":"dc1"},`, "")
	object = strings.ReplaceAll(object, `"cpu":"3"`, `"cpu":"0"`)
	w, _ := shop()
	r := review.New(w.begin, w, review.Options{State: &placedAt{cached: state}})
	told := r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object), All: true})
	if len(told) == 0 || len(told) > 4 {
		t.Errorf("%d warnings: %q", len(told), told)
	}
	for _, text := range told {
		if len(text) > 256 {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
	if !strings.Contains(told[0], "100 of the first 100 of 2000000000 Pods") {
		t.Errorf("the bound is not told: %s", told[0])
	}
}

func TestAPreviewBeforeThereIsAnInventory(t *testing.T) {
	w, _ := shop()
	draft := &review.Draft{Namespace: "shop", Object: []byte(podThat("", "1")), All: true}
	if told := review.New(w.begin, w, review.Options{}).Preview(draft); told != nil {
		t.Errorf("nothing is known, and %q is told", told)
	}
	told := review.New(w.begin, w, review.Options{State: &placedAt{}}).Preview(draft)
	if diff := cmp.Diff([]string{"preview: not to be had yet: nodes and Pods have not been read completely"}, told); diff != "" {
		t.Error(diff)
	}
}

// The namespace is the request's: in the object's place stands whatever was sent.
func TestAPreviewIsOfTheRequestsNamespace(t *testing.T) {
	var pod map[string]any
	if err := json.Unmarshal([]byte(podThat("", "1")), &pod); err != nil {
		t.Fatal(err)
	}
	pod["metadata"] = map[string]any{"name": "web", "annotations": map[string]string{binaryaffinity.Annotation: `{"require_with_tag":["vault"]}`}}
	object, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := shop()
	r := review.New(w.begin, w, review.Options{State: &placedAt{cached: stage()}})
	for namespace, want := range map[string]string{"shop": "preview: 0 of 4 nodes", "bank": "preview: 1 of 4 nodes"} {
		if diff := cmp.Diff([]string{want}, r.Preview(&review.Draft{Namespace: namespace, Object: object})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", namespace, diff)
		}
	}
}

// A cluster in which a Pod of another namespace bears a tag and refuses some, and the
// same one without it, are told alike to who may not see that Pod.
func TestAPreviewWithoutTheRightTellsNothingOfOtherNamespaces(t *testing.T) {
	const unseen = "preview: not previewed: it asks about Pods of other namespaces, which you may not list"
	term := func(reach string) string {
		return `{"topologyKey":"kubernetes.io/hostname"` + reach + `,"labelSelector":{"matchExpressions":[{"key":"tag.affinity.cozystack.io/vault","operator":"Exists"}]}}`
	}
	required := func(side, reach string) string {
		return `"affinity":{"` + side + `":{"requiredDuringSchedulingIgnoredDuringExecution":[` + term(reach) + `]}},`
	}
	preferred := func(side, reach string) string {
		return `"affinity":{"` + side + `":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":` + term(reach) + `}]}},`
	}
	tests := []struct {
		name, affinity, want string
		differs              bool // for who may see all
	}{
		{"affinity to another namespace", required("podAffinity", `,"namespaces":["bank"]`), unseen, true},
		{"anti-affinity to another namespace", required("podAntiAffinity", `,"namespaces":["shop","bank"]`), unseen, true},
		{"affinity to selected namespaces", required("podAffinity", `,"namespaceSelector":{}`), unseen, true},
		{"anti-affinity to selected namespaces", required("podAntiAffinity", `,"namespaceSelector":{}`), unseen, true},
		{"a preference for another namespace", preferred("podAffinity", `,"namespaces":["bank"]`), unseen, true},
		{"a preference against selected namespaces", preferred("podAntiAffinity", `,"namespaceSelector":{}`), unseen, true},
		{"affinity to its own namespace, named", required("podAffinity", `,"namespaces":["shop"]`), "preview: 0 of 4 nodes", false},
		{"affinity to its own namespace", required("podAffinity", ``), "preview: 0 of 4 nodes", false},
		{"no affinity, where the Pod of another namespace refuses it", "", "preview: 2 of 4 nodes", true},
	}
	vault := bearer("bank", "n1", "vault")
	vault.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, Namespaces: []string{"shop"},
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}},
	}}
	var without []any
	for _, object := range stage()[:4] {
		n := object.(*corev1.Node)
		n.Labels[corev1.LabelHostname] = n.Name
		without = append(without, n)
	}
	with := append(slices.Clone(without), vault)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			object := strings.Replace(podThat(`,"labels":{"app":"web"}`, "0"), `"spec":{`, `"spec":{`+tt.affinity, 1)
			ask := func(state []any, all bool) string {
				w, _ := shop()
				r := review.New(w.begin, w, review.Options{State: &placedAt{cached: state}})
				return strings.Join(r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object), All: all}), "\n")
			}
			for told, state := range map[string][]any{"with": with, "without": without} {
				if diff := cmp.Diff(tt.want, ask(state, false)); diff != "" {
					t.Errorf("%s the other's Pod (-want +got):\n%s", told, diff)
				}
			}
			if got := ask(with, true) != ask(without, true); got != tt.differs {
				t.Errorf("who may see all is told of the difference: %t, want %t", got, tt.differs)
			}
		})
	}
}

func TestAPreviewOfOldStateSaysHowOldItIs(t *testing.T) {
	const note = "preview: as of 17 minutes ago: nothing was heard of nodes, Pods or namespaces since"
	for age, want := range map[time.Duration][]string{
		14 * time.Minute: {"preview: 2 of 4 nodes"},
		17 * time.Minute: {"preview: 2 of 4 nodes", note},
	} {
		w, _ := shop()
		r := review.New(w.begin, w, review.Options{State: &placedAt{cached: stage()}, StateAge: func() time.Duration { return age }})
		if diff := cmp.Diff(want, r.Preview(&review.Draft{Namespace: "shop", Object: []byte(podThat("", "1"))})); diff != "" {
			t.Errorf("of state %v old (-want +got):\n%s", age, diff)
		}
	}
}
