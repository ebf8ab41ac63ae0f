package envtest

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Random objects, from pieces at and around every limit, so that about half of
// them are good.
func TestTheAPIServerAndValidateAgreeOnRandomObjects(t *testing.T) {
	count := 300
	if os.Getenv("AFFINITYCLASS_TEST_SIZE") == "long" {
		count = 20_000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	c := admin(t)
	for what, one := range map[string]func() client.Object{
		"classes":    func() client.Object { return randomClass(random) },
		"exemptions": func() client.Object { return randomExemption(random) },
	} {
		good := 0
		for range count {
			if agree(t, c, one()) == nil {
				good++
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		t.Logf("%d of %d %s were good", good, count, what)
		if good < count/10 || good > count-count/10 {
			t.Error("nearly all are good or bad: they say little")
		}
	}
}

func randomClass(random *rand.Rand) *v1alpha1.AffinityClass {
	name := randomText(random, "ab0-", []int{1, 2, 8, 62, 63, 64}, "a")
	c := class(name, randomPairs(random))
	c.Spec.NodeSelectorTerms = several(random, func() v1alpha1.NodeSelectorTerm { return randomTerm(random) })
	c.Spec.Tolerations = several(random, func() v1alpha1.Toleration { return randomToleration(random) })
	return c
}

func randomPairs(random *rand.Rand) map[string]string {
	pairs := map[string]string{}
	for range []int{0, 1, 1, 1, 1, 2, 3, 15, 16, 17}[random.IntN(10)] {
		pairs[randomKey(random)] = randomValue(random)
	}
	return pairs
}

func randomValue(random *rand.Rand) string {
	return randomText(random, "aB0-_.", []int{0, 1, 2, 62, 63, 64}, "B")
}

func randomKey(random *rand.Rand) string {
	name := randomText(random, "aB0-_.", []int{1, 2, 3, 62, 63, 64}, "k")
	if random.IntN(2) == 0 {
		return name
	}
	return randomText(random, "ab0-.", []int{1, 3, 252, 253, 254}, "a") + "/" + name
}

// randomText has one of the lengths. Nineteen times of twenty it is filler at the
// places where syntax is strict, so that long texts are not always bad; and once
// in forty it has a stranger in it.
func randomText(random *rand.Rand, alphabet string, lengths []int, filler string) string {
	length := lengths[random.IntN(len(lengths)-min(1, random.IntN(8)))]
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
		strict := i == 0 || i == length-1 || strings.IndexByte("-._", text[i]) >= 0
		if strict && random.IntN(20*length) != 0 {
			text[i] = filler[0]
		}
	}
	if length > 0 && random.IntN(40) == 0 {
		text[random.IntN(length)] = " /:A\n"[random.IntN(5)]
	}
	return string(text)
}
