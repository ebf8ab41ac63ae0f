package manifest_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// told says of each document its number, line and object.
func told(documents []manifest.Document) []string {
	var lines []string
	for _, d := range documents {
		lines = append(lines, fmt.Sprintf("%d:%d %s", d.Index, d.Line, d.Object))
	}
	return lines
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name   string
		input  string
		want   []string
		reason string
	}{
		{
			name:  "nothing at all",
			input: "",
		},
		{
			name:  "only comments, markers and white space",
			input: "# a\n---\n\n--- # b\n---\n...\n",
		},
		{
			name:  "one document without a marker",
			input: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\n",
			want:  []string{"1:1 Pod shop/a"},
		},
		{
			name:  "several documents, the empty ones passed over",
			input: "---\n# first\n\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\nnull\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: b}",
			want:  []string{"1:4 Pod shop/a", "2:11 Pod shop/b"},
		},
		{
			name:  "a document end marker ends a document",
			input: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n...\n%YAML 1.1\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n",
			want:  []string{"1:1 Pod shop/a", "2:7 Pod shop/b"},
		},
		{
			name:  "a marker inside a block of text is text",
			input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: |\n    ---\n    ...\n",
			want:  []string{"1:1 ConfigMap shop/a"},
		},
		{
			name:  "Windows line ends and a byte order mark",
			input: "\ufeffapiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n---\r\napiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: b\r\n",
			want:  []string{"1:1 Pod shop/a", "2:6 Pod shop/b"},
		},
		{
			name:  "JSON values one after another, indented by tabs",
			input: "{\n\t\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}\n}\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}",
			want:  []string{"1:1 Pod shop/a", "2:4 Pod shop/b"},
		},
		{
			name:  "a YAML flow mapping that only looks like JSON",
			input: "{apiVersion: v1, kind: Pod, metadata: {name: a}} # not JSON\n",
			want:  []string{"1:1 Pod shop/a"},
		},
		{
			name:  "a JSON value with a YAML comment after it",
			input: "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}} # b\n",
			want:  []string{"1:1 Pod shop/a"},
		},
		{
			name:  "a List counts its items",
			input: "# c\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- null\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: c}\n",
			want:  []string{"1:5 Pod shop/a", "2:9 Pod shop/b", "3:13 Pod shop/c"},
		},
		{
			name:  "a List in JSON",
			input: "{\"kind\": \"List\", \"metadata\": {},\n\"items\": [\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}\n,\n\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}\n]}",
			want:  []string{"1:3 Pod shop/a", "2:6 Pod shop/b"},
		},
		{
			name:  "an empty List is empty",
			input: "kind: List\napiVersion: v1\n---\nkind: List\napiVersion: v1\nitems: []\n---\nkind: PodList\napiVersion: v1\nitems: null\n",
		},
		{
			name:   "items of a typed list take its kind",
			input:  "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- metadata: {name: a}\n",
			want:   []string{"1:4 Deployment shop/a"},
			reason: "the API server leaves it out of them",
		},
		{
			name:  "a List in a List",
			input: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n",
			want:  []string{"1:4 Pod shop/a"},
		},
		{
			name:   "a kind that only ends like a list is an object",
			input:  "apiVersion: example.org/v1\nkind: AllowList\nmetadata: {name: a}\n",
			want:   []string{"1:1 AllowList shop/a"},
			reason: "it has no items",
		},
		{
			name:  "cluster-scoped kinds that we know get no namespace",
			input: "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n---\napiVersion: cozystack.io/v1alpha1\nkind: AffinityClass\nmetadata: {name: dc1}\n",
			want:  []string{"1:1 Node node-1", "2:5 AffinityClass dc1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"at once":      strings.NewReader(test.input),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.input)),
			} {
				documents, err := manifest.Read("f.yaml", in, manifest.DefaultNamespace("shop"))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(test.want, told(documents)); diff != "" {
					t.Fatalf("%s: wanted (-), got (+): %s\n%s", name, test.reason, diff)
				}
			}
		})
	}
}

func TestReadSaysWhereItFailed(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n"
	for _, test := range []struct {
		name  string
		input string
		is    error
		want  string
	}{
		{
			name:  "an object without a kind",
			input: pod + "\napiVersion: v1\nmetadata: {name: b}\n",
			is:    manifest.ErrNoKind,
			want:  "f.yaml: document 2, line 6: the object has no kind",
		},
		{
			name:  "an object without an apiVersion",
			input: "kind: Pod\n",
			is:    manifest.ErrNoAPIVersion,
			want:  "f.yaml: document 1, line 1: the object has no apiVersion",
		},
		{
			name:  "a Kind written with a capital is no kind",
			input: "apiVersion: v1\nKind: Pod\n",
			is:    manifest.ErrNoKind,
			want:  "f.yaml: document 1, line 1: the object has no kind",
		},
		{
			name:  "a document that is a list or a word",
			input: pod + "- a\n",
			is:    manifest.ErrNotAnObject,
			want:  "f.yaml: document 2, line 5: the document is not an object",
		},
		{
			name:  "an item of a List",
			input: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n- word\n",
			is:    manifest.ErrNotAnObject,
			want:  "f.yaml: document 2, line 6: the document is not an object",
		},
		{
			name:  "an apiVersion of three parts",
			input: "apiVersion: a/b/c\nkind: Pod\n",
			want:  "f.yaml: document 1, line 1: read apiVersion: unexpected GroupVersion string: a/b/c",
		},
		{
			name:  "YAML that does not parse, with the line of the file",
			input: pod + "a: b\n  c: d\n",
			want:  "f.yaml: document 2, line 6: mapping values are not allowed in this context",
		},
		{
			name:  "JSON that does not parse, after a value that does",
			input: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}` + "\n\n{\"a\"",
			want:  "f.yaml: document 1, line 3: unexpected EOF",
		},
		{
			name:  "an unquoted y, which kubectl too reads as true",
			input: "apiVersion: v1\nkind: Node\nmetadata: {name: y}\n",
			want:  "f.yaml: document 1, line 1: json: cannot unmarshal bool into Go struct field .head.metadata.name of type string",
		},
		{
			name:  "items that are not a list",
			input: "apiVersion: v1\nkind: List\nitems: 7\n",
			want:  "f.yaml: document 1, line 1: read the items of a list: json: cannot unmarshal number into Go value of type []json.RawMessage",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := manifest.Read("f.yaml", strings.NewReader(test.input))
			if err == nil || err.Error() != test.want {
				t.Fatalf("got %v\nwanted %s", err, test.want)
			}
			var where *manifest.Error
			if !errors.As(err, &where) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%#v is not what a caller can ask for", err)
			}
		})
	}
}

func TestReadKeepsWhatCameBeforeAnError(t *testing.T) {
	broken := iotest.ErrReader(errors.New("disk on fire"))
	in := io.MultiReader(strings.NewReader("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n"), broken)
	documents, err := manifest.Read("f.yaml", in)
	if len(documents) != 1 || err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Fatalf("%v, %v", told(documents), err)
	}
}

func TestNumbersSurvive(t *testing.T) {
	for _, input := range []string{
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {big: 9007199254740993, small: -1, part: 0.5}\n",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"big":9007199254740993,"small":-1,"part":0.5}}`,
	} {
		documents, err := manifest.Read("f", strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		content, err := documents[0].Content()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"big": int64(9007199254740993), "small": int64(-1), "part": 0.5}
		if diff := cmp.Diff(want, content["spec"]); diff != "" {
			t.Errorf("wanted (-), got (+):\n%s", diff)
		}
	}
}

func TestReadTakesTheMetadataThatAWalkNeeds(t *testing.T) {
	documents, err := manifest.Read("f", strings.NewReader(`
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: web
  namespace: flux
  uid: u-1
  labels: {a: b}
  annotations: {c: d}
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: o, uid: u-2}]
spec:
  targetNamespace: shop
`))
	if err != nil {
		t.Fatal(err)
	}
	got := documents[0].Object
	if got.UID != "u-1" || got.Labels["a"] != "b" || got.Annotations["c"] != "d" ||
		len(got.Owners) != 1 || got.Owners[0].UID != "u-2" || got.GroupKind != lineage.HelmRelease ||
		got.Release.TargetNamespace != "shop" || documents[0].APIVersion != "helm.toolkit.fluxcd.io/v2" {
		t.Errorf("got %+v", got)
	}
}
