package manifest

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// readCut reads with Lists cut from so many bytes on.
func readCut(in io.Reader, large int) ([]Document, error) {
	r := NewReader("f.yaml", in, DefaultNamespace("shop"))
	r.split.large = large
	var documents []Document
	for {
		document, err := r.Next()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, err
		}
		documents = append(documents, document)
	}
}

const (
	podA = "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n    annotations:\n      text: |\n        - not an item\n\n        items:\n  spec:\n    containers:\n    - name: c\n"
	podB = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n"
)

const (
	jsonA = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{"items":"[1,2"}}}`
	jsonB = "{\n\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n\"metadata\": {\"name\": \"b\"}}"
)

func TestACutListIsReadAsAWholeOneIs(t *testing.T) {
	tests := []struct{ name, input string }{
		{"as kubectl prints it", "apiVersion: v1\nitems:\n" + podA + podB + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"},
		{"with the kind first", "apiVersion: v1\nkind: List\nmetadata: {}\nitems:\n" + podA + podB},
		{"with its items indented", "apiVersion: v1\nkind: List\nitems:\n" + indent(podA) + "\n  # between\n" + indent(podB) + "metadata: {}\n"},
		{"with other documents around", "apiVersion: v1\nkind: Pod\nmetadata: {name: z}\n---\n# c\napiVersion: v1\nitems:\n" + podA + podB + "kind: List\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"},
		{"two of them", "apiVersion: v1\nitems:\n" + podA + "kind: List\n---\napiVersion: v1\nitems:\n" + podB + "kind: List\n...\n"},
		{"without a line end", "apiVersion: v1\nkind: List\nitems:\n" + podA + strings.TrimSuffix(podB, "\n")},
		{"with Windows line ends", strings.ReplaceAll("apiVersion: v1\nitems:\n"+podA+podB+"kind: List\n", "\n", "\r\n")},
		{"typed, with items that take its kind", "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n"},
		{"with nothing and comments among its items", "apiVersion: v1\nkind: List\nitems:\n# one\n- null\n" + podB + "# two\n"},
		{"with a List in it", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n" + podB},
		{"no List: items are something else's", "apiVersion: example.org/v1\nkind: Basket\nitems:\n- a\n- b\n"},
		{"no List: items in a block of text", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  text: |\n    items:\n    - a\n"},
		{"in JSON", "{\n  \"apiVersion\": \"v1\",\n  \"items\": [\n    " + jsonA + ",\n\n    " + jsonB + "\n  ],\n  \"kind\": \"List\",\n  \"metadata\": {}\n}\n"},
		{"in JSON, and others after it", "\n{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[" + jsonA + ",\n" + jsonB + "]}\n" + jsonA + "\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\n---\n" + jsonB},
		{"in JSON and typed", "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[\n{\"metadata\":{\"name\":\"a\"}},\n{\"metadata\":{\"name\":\"b\"}}]}\n"},
		{"in JSON and empty", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":[\n\n]\n}\n" + jsonA},
		{"no List in JSON", "{\"apiVersion\":\"example.org/v1\",\"kind\":\"Basket\",\"metadata\":{\"name\":\"a\"},\n\"items\":[\n1,2]\n}\n"},
		{"a flow mapping that only looks like JSON", "{apiVersion: v1, kind: List,\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]\n}\n"},
		{"in a row: read as a whole", "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole, err := readCut(strings.NewReader(tt.input), large)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{30, 60, 120} {
				cut, err := readCut(iotest.OneByteReader(strings.NewReader(tt.input)), size)
				if err != nil {
					t.Fatalf("from %d bytes: %v", size, err)
				}
				// Where an item ends is known only when it is read by itself.
				ignored := []string{"End"}
				if strings.Contains(tt.name, "a List in it") {
					ignored = append(ignored, "Line") // of the inner item, which is nearer when cut
				}
				if diff := cmp.Diff(whole, cut, cmpopts.IgnoreFields(Document{}, ignored...)); diff != "" {
					t.Errorf("from %d bytes: whole (-), cut (+):\n%s", size, diff)
				}
			}
		})
	}
}

func TestWhatACutListCannotBe(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"an item that does not parse", "apiVersion: v1\nitems:\n" + podB + "- a: b\n   c: d\n  e: f\nkind: List\n", "f.yaml: document 2, line 7: "},
		{"something else with items", "apiVersion: v1\nitems:\n" + podB + "kind: Basket\n", "f.yaml: document 2, line 1: it has items and is no List"},
		{"JSON that ends too soon", "{\"apiVersion\":\"v1\",\n\"items\":[\n" + jsonA + ",\n", "f.yaml: document 2, line 3: read: unexpected EOF"},
		{"JSON that does not parse", "{\"apiVersion\":\"v1\",\n\"items\":[\n" + jsonA + ",\n{]}", "f.yaml: document 2, line 3: read: invalid character"},
		{"something else with items in JSON", "{\"apiVersion\":\"v1\",\n\"items\":[\n" + jsonA + "],\n\"kind\":\"Basket\"}", "f.yaml: document 2, line 1: it has items and is no List"},
		{"no kind", "apiVersion: v1\nitems:\n" + podB, "f.yaml: document 2, line 1: the object has no kind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readCut(strings.NewReader(tt.input), 30); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// FuzzCut holds what is promised of any input: what a cut List gives is what the
// whole one gives, or an error. Nothing is left out in silence.
func FuzzCut(f *testing.F) {
	f.Add("apiVersion: v1\nitems:\n" + podA + podB + "kind: List\n---\n" + podA)
	f.Add("{\"apiVersion\":\"v1\",\n\"items\":[\n" + jsonA + ",\n" + jsonB + "],\n\"kind\":\"List\"}\n" + jsonA)
	f.Add("apiVersion: v1\nkind: List\nitems:\n  - &a {apiVersion: v1, kind: Pod}\n  - *a\nitems:\n- {}\n")
	f.Fuzz(func(t *testing.T, input string) {
		whole, wholeErr := readCut(strings.NewReader(input), large)
		cut, cutErr := readCut(strings.NewReader(input), 30)
		if wholeErr != nil && cutErr == nil {
			t.Fatalf("the whole is refused (%v), its parts are not", wholeErr)
		}
		if cutErr != nil {
			return
		}
		same := cmpopts.IgnoreFields(Document{}, "End", "Line")
		if diff := cmp.Diff(whole, cut, same); diff != "" {
			t.Fatalf("whole (-), cut (+):\n%s", diff)
		}
	})
}
