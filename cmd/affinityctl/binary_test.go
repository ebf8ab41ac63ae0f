package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const binaryPath = "metadata.annotations[affinity.cozystack.io/binary]"

// asking is the Pod, or the Deployment, that asks by a value.
func asking(value string) string {
	return `{"metadata":{"name":"a","annotations":{"affinity.cozystack.io/binary":` + strconv.Quote(value) + `}},"spec":{}`
}

func TestCheckReadsBinaryValuesAsTheServerDoes(t *testing.T) {
	pod := func(value string) string { return `{"apiVersion":"v1","kind":"Pod",` + asking(value)[1:] + `}` }
	deployment := func(value string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":` + asking(value) + `}}}`
	}
	const wrong = `{"require_with_tag":["a"],"require_without_tag":["a/b"]}`
	for _, tt := range []struct{ reason, object, verdict, field string }{
		{"a Pod is refused with the path", pod(wrong), "Denied", binaryPath + ".require_without_tag[0]"},
		{"a template with the path to it", deployment(wrong), "Denied", "spec.template." + binaryPath + ".require_without_tag[0]"},
		{"a Pod is judged with the terms that it will be given", pod(`{"require_with_tag":["a"]}`), "NotGoverned", ""},
		{"a template is not asked for them", deployment(`{"require_with_tag":["a"]}`), "NotGoverned", ""},
		{"weights are accepted", pod(`{"a":-7}`), "NotGoverned", ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			code, out, errs := invoke(t, tt.object, "check", "-f", "-", "-o", "json")
			var report struct {
				Results []struct {
					Verdict, Reason, Message string
					Code                     int
					Violations               []struct{ Field, Message string }
				}
			}
			if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Results) != 1 {
				t.Fatalf("%v: %s%s", err, out, errs)
			}
			got := report.Results[0]
			if diff := cmp.Diff(tt.verdict, got.Verdict); diff != "" {
				t.Fatal(diff)
			}
			if tt.field == "" {
				return
			}
			if code != 1 || got.Code != 400 || got.Reason != "BinaryMalformed" || got.Violations[0].Field != tt.field || !strings.Contains(got.Message, tt.field+": ") {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
}
