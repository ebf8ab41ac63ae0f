package envtest

import (
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// several are mostly none or one, sometimes as many as may be, or one more.
func several[T any](random *rand.Rand, one func() T) []T {
	count := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 3}[random.IntN(10)]
	if limit := random.IntN(160); limit < 2 {
		count = 16 + limit
	}
	var all []T
	for range count {
		all = append(all, one())
	}
	return all
}

// oddly returns one of the usual, and one time in eighty one of the odd.
func oddly[T any](random *rand.Rand, usual, odd []T) T {
	if random.IntN(80) == 0 {
		return odd[random.IntN(len(odd))]
	}
	return usual[random.IntN(len(usual))]
}

func randomTerm(random *rand.Rand) v1alpha1.NodeSelectorTerm {
	term := v1alpha1.NodeSelectorTerm{
		MatchExpressions: several(random, func() v1alpha1.NodeSelectorRequirement { return randomRequirement(random) }),
		MatchFields:      several(random, func() v1alpha1.NodeFieldRequirement { return randomField(random) }),
	}
	if len(term.MatchExpressions)+len(term.MatchFields) == 0 && random.IntN(10) != 0 {
		term.MatchExpressions = []v1alpha1.NodeSelectorRequirement{randomRequirement(random)}
	}
	return term
}

func randomRequirement(random *rand.Rand) v1alpha1.NodeSelectorRequirement {
	r := v1alpha1.NodeSelectorRequirement{
		Key:      randomKey(random),
		Operator: oddly(random, []corev1.NodeSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}, []corev1.NodeSelectorOperator{"", "in", "Equals"}),
	}
	ordered := r.Operator == "Gt" || r.Operator == "Lt"
	switch {
	case ordered:
		r.Values = []string{randomInteger(random)}
	case r.Operator == "In" || r.Operator == "NotIn":
		r.Values = append(several(random, func() string { return randomValue(random) }), randomValue(random))
	}
	if random.IntN(80) == 0 {
		r.Values = oddly(random, [][]string{nil, {"1"}, {"1", "2"}}, [][]string{{""}})
	}
	return r
}

func randomInteger(random *rand.Rand) string {
	return oddly(random,
		[]string{"0", "1", "08", "00", "1000000000000000000", "9223372036854775807", "0009223372036854775807", "999999999999999999"},
		[]string{"9223372036854775808", "9223372036854775810", "10000000000000000000", "09999999999999999999", "1_0", "0x1", "1e3", "1.0", "a", "", "-1", "1a"})
}

func randomField(random *rand.Rand) v1alpha1.NodeFieldRequirement {
	name := randomText(random, "ab0-.", []int{1, 3, 252, 253, 254}, "a")
	return v1alpha1.NodeFieldRequirement{
		Key:      oddly(random, []string{"metadata.name"}, []string{"", "metadata.uid"}),
		Operator: oddly(random, []corev1.NodeSelectorOperator{"In", "NotIn"}, []corev1.NodeSelectorOperator{"Exists", "Gt", ""}),
		Values:   oddly(random, [][]string{{name}}, [][]string{nil, {name, name}, {""}}),
	}
}

func randomToleration(random *rand.Rand) v1alpha1.Toleration {
	t := v1alpha1.Toleration{
		Key:      oddly(random, []string{randomKey(random)}, []string{""}),
		Operator: oddly(random, []corev1.TolerationOperator{"", "Equal", "Exists"}, []corev1.TolerationOperator{"Gt", "exists"}),
		Effect:   oddly(random, []corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}, []corev1.TaintEffect{"noexecute"}),
	}
	if t.Operator != "Exists" || random.IntN(40) == 0 {
		t.Value = randomValue(random)
	}
	if t.Effect == "NoExecute" || random.IntN(40) == 0 {
		seconds := random.Int64N(3) - 1
		t.TolerationSeconds = &seconds
	}
	return t
}

func randomExemption(random *rand.Rand) *v1alpha1.AffinityExemption {
	return but(func(s *exemptionSpec) {
		s.Usernames = append(several(random, func() string { return randomUsername(random) }), randomUsername(random))
		s.Namespaces = several(random, func() string {
			return randomText(random, "abcdefghijklmnopqrstuvwxyz-", []int{1, 8, 9, 62, 63, 64}, "a")
		})
		s.Reason = oddly(random, []string{"imports disks"}, []string{"", " ", "\u00a0", "\n."})
		if random.IntN(2) == 0 {
			s.OwnerKind = &v1alpha1.OwnerKind{Group: randomText(random, "ab0-.", []int{0, 1, 253, 254}, "a"), Kind: randomText(random, "aB0-", []int{1, 62, 63, 64}, "K")}
		}
		if random.IntN(2) == 0 {
			s.PodSelector = &v1alpha1.PodSelector{
				MatchLabels:      randomPairs(random),
				MatchExpressions: several(random, func() v1alpha1.PodSelectorRequirement { return randomPodRequirement(random) }),
			}
		}
	})
}

func randomUsername(random *rand.Rand) string {
	account := randomText(random, "abcdefghij-", []int{1, 8, 62, 63, 64}, "a") + ":" + randomText(random, "abcdefghij-.", []int{8, 9, 253}, "a")
	return oddly(random, []string{"system:serviceaccount:" + account, "system:serviceaccount:" + account[:1] + ":*", account},
		[]string{"", "*", account + "*", "system:serviceaccount:*", "system:serviceaccount:*:a"})
}

func randomPodRequirement(random *rand.Rand) v1alpha1.PodSelectorRequirement {
	r := randomRequirement(random)
	return v1alpha1.PodSelectorRequirement{Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values}
}
