package binaryaffinity_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

const everyWord = `{"require_with_tag":["a","b"],"require_without_tag":["c","d"],"prefer_with_tag":["e","f"],"prefer_without_tag":["g","h"]}`

func affinity(t *testing.T, text string) *v1.Affinity {
	t.Helper()
	var a v1.Affinity
	if err := yaml.UnmarshalStrict([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

func TestEachWordBecomesATermATag(t *testing.T) {
	const exists = `labelSelector: {matchExpressions: [{key: tag.affinity.cozystack.io/t, operator: Exists}]}, topologyKey: kubernetes.io/hostname`
	for word, want := range map[string]string{
		"require_with_tag":    `podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{` + exists + `}]}`,
		"require_without_tag": `podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{` + exists + `}]}`,
		"prefer_with_tag":     `podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {` + exists + `}}]}`,
		"prefer_without_tag":  `podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: {` + exists + `}}]}`,
	} {
		t.Run(word, func(t *testing.T) {
			got := binaryaffinity.Translate(value(t, `{"`+word+`":["t"]}`), nil).Append(nil)
			if diff := cmp.Diff(affinity(t, want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := binaryaffinity.Translate(value(t, everyWord), nil); len(got.RequiredAffinity) != 2 || len(got.RequiredAntiAffinity) != 2 ||
		len(got.PreferredAffinity) != 2 || len(got.PreferredAntiAffinity) != 2 {
		t.Errorf("not a term a tag: %v", got)
	}
	if !binaryaffinity.Translate(binaryaffinity.Value{}, nil).Empty() {
		t.Error("who asks nothing is given terms")
	}
}

func TestATermIsTheTranslationOnlyWhenItSaysTheSame(t *testing.T) {
	for name, change := range map[string]func(*v1.PodAffinityTerm){
		"over zones":          func(p *v1.PodAffinityTerm) { p.TopologyKey = v1.LabelTopologyZone },
		"of named namespaces": func(p *v1.PodAffinityTerm) { p.Namespaces = []string{"bank"} },
		"of all namespaces":   func(p *v1.PodAffinityTerm) { p.NamespaceSelector = &metav1.LabelSelector{} },
		"narrowed by labels":  func(p *v1.PodAffinityTerm) { p.LabelSelector.MatchLabels = map[string]string{"app": "x"} },
		"narrowed by key":     func(p *v1.PodAffinityTerm) { p.MatchLabelKeys = []string{"pod-template-hash"} },
		"widened by key":      func(p *v1.PodAffinityTerm) { p.MismatchLabelKeys = []string{"tenant"} },
		"of another tag":      func(p *v1.PodAffinityTerm) { p.LabelSelector.MatchExpressions[0].Key = "tag.affinity.cozystack.io/z" },
		"of another label":    func(p *v1.PodAffinityTerm) { p.LabelSelector.MatchExpressions[0].Key = "a" },
		"of the label's value": func(p *v1.PodAffinityTerm) {
			e := &p.LabelSelector.MatchExpressions[0]
			e.Operator, e.Values = "In", []string{"x"}
		},
		"of the tag's absence": func(p *v1.PodAffinityTerm) { p.LabelSelector.MatchExpressions[0].Operator = "DoesNotExist" },
		"without a selector":   func(p *v1.PodAffinityTerm) { p.LabelSelector = nil },
		"of two tags on one Pod": func(p *v1.PodAffinityTerm) {
			s := p.LabelSelector
			s.MatchExpressions = append(s.MatchExpressions, s.MatchExpressions...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := value(t, `{"require_with_tag":["a"]}`)
			term := binaryaffinity.Translate(v, nil).RequiredAffinity[0]
			if !v.Own(binaryaffinity.RequireWith, &term) || v.Own(binaryaffinity.RequireWithout, &term) {
				t.Fatal("the translation itself is not known, or under the wrong word")
			}
			change(&term)
			if v.Own(binaryaffinity.RequireWith, &term) {
				t.Error("taken for the translation")
			}
			theirs := &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
			final := binaryaffinity.Translate(v, theirs).Append(theirs)
			if got := final.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution; len(got) != 2 || cmp.Diff(term, got[0]) != "" {
				t.Errorf("the Pod's own term was not kept before one appended: %v", got)
			}
		})
	}
	v := value(t, `{"prefer_with_tag":["a"]}`)
	soft := binaryaffinity.Translate(v, nil).PreferredAffinity[0]
	if !v.OwnPreferred(binaryaffinity.PreferWith, &soft) || v.OwnPreferred(binaryaffinity.PreferWithout, &soft) || v.Own(binaryaffinity.PreferWith, &soft.PodAffinityTerm) {
		t.Error("a soft term is not known by its word")
	}
	if soft.Weight = 50; v.OwnPreferred(binaryaffinity.PreferWith, &soft) {
		t.Error("a term of another weight is taken for the translation")
	}
}

// Other mutators may add terms and reorder all of them between two calls.
func TestATranslationIsAppendedOnceInWhateverOrder(t *testing.T) {
	v, random := value(t, everyWord), rand.New(rand.NewPCG(1, 2))
	theirs := affinity(t, `{nodeAffinity: {}, podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}`)
	before := theirs.DeepCopy()
	a := binaryaffinity.Translate(v, theirs).Append(theirs)
	if diff := cmp.Diff(before, theirs); diff != "" {
		t.Errorf("the Pod as read was changed: %s", diff)
	}
	for range 200 {
		shuffle(random, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		shuffle(random, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		shuffle(random, a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		shuffle(random, a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
		if again := binaryaffinity.Translate(v, a); !again.Empty() {
			t.Fatalf("appended twice: %v", again)
		}
		cut := a.DeepCopy()
		list := &cut.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		lost := (*list)[0].LabelSelector.MatchExpressions[0].Key[len(binaryaffinity.TagPrefix):]
		*list = (*list)[1:]
		want := binaryaffinity.Value{RequireWithout: []string{lost}}
		if diff := cmp.Diff(want, binaryaffinity.Missing(v, cut)); diff != "" {
			t.Fatalf("a term taken away is not missed: %s", diff)
		}
		if diff := cmp.Diff(a.PodAffinity, binaryaffinity.Translate(v, cut).Append(cut).PodAffinity); diff != "" {
			t.Fatalf("mending one list changed another: %s", diff)
		}
	}
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func TestASoftTermIsNotMissedOnAFinalPod(t *testing.T) {
	v := value(t, everyWord)
	want := binaryaffinity.Value{RequireWith: []string{"a", "b"}, RequireWithout: []string{"c", "d"}}
	if diff := cmp.Diff(want, binaryaffinity.Missing(v, &v1.Affinity{})); diff != "" {
		t.Error(diff)
	}
	if got := binaryaffinity.Missing(v, binaryaffinity.Translate(v, nil).Append(nil)); !got.Empty() {
		t.Errorf("missing after translation: %s", got)
	}
}
