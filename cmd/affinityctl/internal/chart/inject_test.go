package chart

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

func classes() *policy.Snapshot {
	seconds := int64(300)
	return policy.New(
		&v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "dc1"}, Spec: v1alpha1.AffinityClassSpec{
			NodeSelector: map[string]string{"zone": "dc1"},
		}},
		&v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: v1alpha1.AffinityClassSpec{
			NodeSelector: map[string]string{"gpu": "true"},
			Tolerations:  []v1alpha1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}},
		}},
	)
}

// What a chart is given here is what the server writes into the values of a release.
func TestAChartIsGivenWhatTheServerGivesIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v2\nname: a\nversion: 0.1.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dc1", "gpu"} {
		t.Run(name, func(t *testing.T) {
			loaded, err := Load(Options{Dir: dir, Set: []string{"affinityClass=" + name, "_scheduling.mine=1"}})
			if err != nil {
				t.Fatal(err)
			}
			class, err := classes().Class(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := loaded.Inject(class); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(completed(t, name), loaded.values); diff != "" {
				t.Errorf("the server (-), the chart (+):\n%s", diff)
			}
		})
	}
}

// completed are the values of a release that names the class, as the server leaves
// them.
func completed(t *testing.T, class string) map[string]any {
	t.Helper()
	text := []byte(`{"metadata":{"name":"a"},"spec":{"values":{"affinityClass":"` + class + `","_scheduling":{"mine":1}}}}`)
	var release review.HelmRelease
	if err := json.Unmarshal(text, &release); err != nil {
		t.Fatal(err)
	}
	reviewer := review.New(review.Files(manifest.NewIndex()), review.Fixed{Policy: classes()}, review.Options{})
	ops, err := json.Marshal(reviewer.CompleteRelease(context.Background(), &review.ReleaseRequest{Namespace: "shop", Object: &release}))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(ops)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = patch.Apply(text); err != nil {
		t.Fatal(err)
	}
	var after struct {
		Spec struct{ Values map[string]any }
	}
	if err := json.Unmarshal(text, &after); err != nil {
		t.Fatal(err)
	}
	return after.Spec.Values
}
