package main

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	binaryShop = "testdata/binary/shop.yaml"
	binaryMore = "testdata/binary/more.yaml"
)

// The corpus of values is the parser's and the server's too: one answer.
func TestConvertAnswersTheCorpus(t *testing.T) {
	data, err := os.ReadFile("../../test/testdata/binary-affinity/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Value, Verdict, Path, Says, Becomes string
		Pad                                 int
	}
	if err := yaml.UnmarshalStrict(data, &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) < 200 {
		t.Fatalf("the corpus has %d values, wanted 200 at least", len(entries))
	}
	for _, e := range entries {
		text := e.Value + strings.Repeat(" ", max(0, e.Pad-len(e.Value)))
		for _, how := range []struct {
			stdin string
			args  []string
		}{{"", []string{"--", text}}, {text, []string{"-f", "-"}}} {
			code, out, errs := invoke(t, how.stdin, append([]string{"binary", "convert"}, how.args...)...)
			want, wantCode := e.Becomes+"\n", 0
			if e.Verdict == "malformed" {
				want, wantCode = "", 2
				if at := "metadata.annotations[affinity.cozystack.io/binary]" + e.Path; !strings.Contains(errs, at) || !strings.Contains(errs, e.Says) {
					t.Errorf("%.60q: %q, wanted %q and %q", text, errs, at, e.Says)
				}
			}
			if code != wantCode || out != want {
				t.Errorf("%.60q: exit code %d, %q%s; want %d and %q", text, code, out, errs, wantCode, want)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		file string
	}{
		{"manifests are printed whole, and the changes said", []string{"-f", binaryShop}, "convert.yaml"},
		{"many as a List", []string{"-f", binaryShop, "-o", "json"}, "convert.json"},
		{"one as it is", []string{"-f", binaryPods, "-o", "json"}, "convert-one.json"},
		{"a value for programs", []string{"-o", "json", `{"cache": 3}`}, "convert-value.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"binary", "convert"}, tt.args...)...)
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			golden(t, tt.file, out+"--- standard error\n"+errs)
		})
	}
}

func TestWhatWasConvertedIsFoundNoMore(t *testing.T) {
	_, out, _ := invoke(t, "", "binary", "convert", "-f", binaryShop)
	code, found, errs := invoke(t, out, "binary", "find", "-f", "-")
	if code != 0 || found != "0 weighted, 3 binary, 0 unreadable\n" || errs != "" {
		t.Errorf("exit code %d, %s%s", code, found, errs)
	}
	if _, again, told := invoke(t, out, "binary", "convert"); again != out || told != "" {
		t.Errorf("converted twice it is\n%s%s", again, told)
	}
}

func TestConvertRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, stdin string
		args        []string
		stderr      string
	}{
		{"a manifest whose value cannot be read, and says where", "", []string{"-f", binaryMore},
			binaryMore + `: document 1, line 1: Pod shop/broken: metadata.annotations[affinity.cozystack.io/binary][require_with_tags]`},
		{"a template's value, with the template's path", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"metadata":{"annotations":{"affinity.cozystack.io/binary":"[]"}}}}}`,
			nil, "standard input: document 1, line 1: Deployment a: spec.template.metadata.annotations[affinity.cozystack.io/binary]"},
		{"an annotation that is no string", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"metadata":{"annotations":{"affinity.cozystack.io/binary":{"a":1}}}}}}`, nil, "must be a string"},
		{"annotations that are no object", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":[]}}`, nil, "annotations"},
		{"a value and a file", "", []string{"-f", binaryShop, "{}"}, "not both"},
		{"a file that is not there", "", []string{"-f", "testdata/none"}, "testdata/none"},
		{"manifests that cannot be read", "apiVersion: v1\n---\n{", nil, "standard input: document 1, line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, tt.stdin, append([]string{"binary", "convert"}, tt.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, %q, stderr %q; want %q", code, out, errs, tt.stderr)
			}
		})
	}
}

func TestFindInFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get a table and the count", []string{"-f", binaryShop, "-f", binaryMore}, 1, "find.txt"},
		{"programs get whole values", []string{"-f", "testdata/binary", "-o", "json"}, 1, "find.json"},
		{"none is good", []string{"-f", binaryPods}, 0, "find-none.txt"},
		{"an object without a namespace has the one that is given", []string{"-n", "shop", "-f", binaryMore, "-o", "yaml"}, 1, "find.yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"binary", "find"}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr %q", code, tt.code, errs)
			}
			golden(t, tt.file, out)
		})
	}
	if code, _, errs := invoke(t, "", "binary", "find", "-f", "testdata/none"); code != 2 || errs == "" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
