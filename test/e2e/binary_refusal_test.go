package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

const binaryPath = "metadata.annotations[affinity.cozystack.io/binary]"

// binaryEntry is a line of the corpus of values; its head says what the fields mean.
type binaryEntry struct {
	Value, Verdict, Path, Says, Becomes string
	Pad                                 int
}

func (e binaryEntry) text() string {
	return e.Value + strings.Repeat(" ", max(0, e.Pad-len(e.Value)))
}

func binaryCorpus(t *testing.T) []binaryEntry {
	t.Helper()
	data, err := os.ReadFile("../testdata/binary-affinity/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []binaryEntry
	if err := yaml.UnmarshalStrict(data, &entries); err != nil || len(entries) < 200 {
		t.Fatalf("a corpus of %d values: %v", len(entries), err)
	}
	return entries
}

// asking is a Pod of nobody's that asks by a value.
func asking(in, name, value string) *corev1.Pod {
	pod := podOf(in, name)
	pod.Annotations = map[string]string{binaryaffinity.Annotation: value}
	return pod
}

// Through the API server, which drops and cuts what it does not like of an answer:
// each value that the rules refuse answers 400 with its path, and none answers 5xx,
// on a new Pod and on one that exists, where a broken contract is only recorded too.
func TestEveryMalformedBinaryValueAnswersWithItsPath(t *testing.T) {
	for _, mode := range []string{"deny", "audit"} {
		space := namespace(t, "malformed-"+mode, map[string]string{enforce: mode})
		stored := asking(space, "stored", "{}")
		stored.Spec.SchedulerName = "nobody"
		create(t, stored)
		count := 0
		for _, e := range binaryCorpus(t) {
			if e.Verdict != "malformed" {
				continue
			}
			count++
			e.wantRefused(t, "create", world.Client.Create(t.Context(), asking(space, "new", e.text())))
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{binaryaffinity.Annotation: e.text()}}})
			must(t, err)
			e.wantRefused(t, "update", world.Client.Patch(t.Context(), stored.DeepCopy(), client.RawPatch(types.MergePatchType, patch)))
		}
		t.Logf("%d values in mode %s", count, mode)
	}
}

func (e binaryEntry) wantRefused(t *testing.T, verb string, err error) {
	t.Helper()
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		t.Errorf("%s with %q: %v", verb, e.Value, err)
		return
	}
	status := answer.Status()
	if status.Code != 400 || status.Details == nil || len(status.Details.Causes) == 0 {
		t.Errorf("%s with %q is answered %d: %s", verb, e.Value, status.Code, status.Message)
		return
	}
	if cause := status.Details.Causes[0]; cause.Field != binaryPath+e.Path || !strings.Contains(cause.Message, e.Says) || !strings.Contains(status.Message, e.Says) {
		t.Errorf("%s with %q is answered %s: %s", verb, e.Value, cause.Field, status.Message)
	}
}

func TestEveryWellFormedBinaryValueIsAcceptedAndTranslated(t *testing.T) {
	space := governed(t, "wellformed")
	for _, e := range binaryCorpus(t) {
		if e.Verdict == "malformed" {
			continue
		}
		parsed, errs := binaryaffinity.Parse(e.Becomes, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if parsed.Value.Requires() {
			continue // whether a node is left is another question, with another answer
		}
		pod := asking(space, "new", e.text())
		if err := world.Client.Create(t.Context(), pod, client.DryRunAll); err != nil {
			t.Errorf("%q: %v", e.Value, err)
			continue
		}
		want, record := binaryaffinity.Translate(parsed.Value, nil).Append(nil), e.Becomes
		if parsed.Value.Empty() {
			record = ""
		}
		if diff := cmp.Diff(want, pod.Spec.Affinity); diff != "" || pod.Annotations[binaryaffinity.TranslatedAnnotation] != record {
			t.Errorf("%q, recorded as %q: %s", e.Value, pod.Annotations[binaryaffinity.TranslatedAnnotation], diff)
		}
	}
}

// Ordinary updates cost nothing: the API server does not even ask.
func TestAnotherBinaryValueOnAPodCountsFromTheNextOne(t *testing.T) {
	space := governed(t, "another")
	pod := asking(space, "web", `{"prefer_with_tag":["a"]}`)
	pod.Spec.SchedulerName = "nobody"
	create(t, pod)
	before := pod.Spec.Affinity.DeepCopy()
	const next = "Pod another/web: " + binaryPath + " counts from the next Pod on; this one keeps the terms that it was created with"
	const weights = binaryPath + ` has weights, which are accepted for one more release and whose magnitude is dropped; write {"prefer_with_tag":["b"]}`
	annotate := func(patch string) func(client.Client) error {
		return func(c client.Client) error {
			return c.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{`+patch+`}}}`)))
		}
	}
	log := openAudit(t)
	jane, h := listening(t, "jane")
	for _, tt := range []struct {
		patch string
		want  []string
	}{
		{`"other":"x"`, nil},
		{`"affinity.cozystack.io/binary":"{\"b\":7}"`, []string{weights, next}},
		{`"other":"y"`, nil},
		{`"affinity.cozystack.io/binary":null`, []string{next}},
	} {
		if diff := cmp.Diff(tt.want, h.during(t, annotate(tt.patch), jane)); diff != "" {
			t.Errorf("%s, wanted (-), got (+):\n%s", tt.patch, diff)
		}
	}
	if diff := cmp.Diff(before, pod.Spec.Affinity); diff != "" {
		t.Errorf("the terms changed: %s", diff)
	}
	changed := map[string]string{"verdict": "Allowed", "reason": "BinaryChanged"}
	if diff := cmp.Diff([]map[string]string{{}, changed, {}, changed}, log.notes(t, space, "patch")); diff != "" {
		t.Errorf("audit annotations, wanted (-), got (+):\n%s", diff)
	}
}
