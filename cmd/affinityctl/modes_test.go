package main

import (
	"strings"
	"testing"
)

const (
	softNamespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","labels":{"affinity.cozystack.io/enforce":"%"}}}`
	badPod        = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}}`
)

func TestTheInputsNamespacesGiveTheMode(t *testing.T) {
	for _, tt := range []struct {
		mode, verdict string
		code          int
	}{{"deny", "Denied", 1}, {"warn", "Warned", 0}, {"audit", "Allowed", 0}, {"other", "Denied", 1}} {
		in := strings.Replace(softNamespace, "%", tt.mode, 1) + "\n---\n" + badPod
		code, out, errs := invoke(t, in, "check", "-f", "-", "--classes", "testdata/classes.yaml", "--class", "dc1")
		if code != tt.code || !strings.Contains(out, tt.verdict) || errs != "" {
			t.Errorf("%s: exit code %d, %s%s", tt.mode, code, out, errs)
		}
	}
}

func TestClassesInTheInputAreJudged(t *testing.T) {
	const class = `{"apiVersion":"cozystack.io/v1alpha1","kind":"AffinityClass","metadata":{"name":"dc1"},"spec":{%}}`
	for _, tt := range []struct {
		name, spec, out string
		code            int
	}{
		{"one that is well formed", `"nodeSelector":{"zone":"dc1"}`, "ClassWellFormed", 0},
		{"one that names no nodes", ``, "ClassMalformed", 1},
		{"one with a value that is none", `"nodeSelector":{"zone":"-"}`, "spec.nodeSelector[zone]", 1},
		{"one with a term that matches nothing", `"nodeSelectorTerms":[{}]`, "spec.nodeSelectorTerms[0]", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, strings.Replace(class, "%", tt.spec, 1), "check", "-f", "-", "-o", "json")
			if code != tt.code || !strings.Contains(out, tt.out) || errs != "" {
				t.Errorf("exit code %d, %s%s", code, out, errs)
			}
		})
	}
}

func TestExemptionsAreSaidNotToApply(t *testing.T) {
	const exemption = `{"apiVersion":"cozystack.io/v1alpha1","kind":"AffinityExemption","metadata":{"name":"a"},"spec":{"usernames":["jane"],"reason":"x"}}`
	code, out, _ := invoke(t, exemption+"\n---\n"+badPod, "check", "-f", "-", "--classes", "testdata/classes.yaml", "--class", "dc1")
	if code != 1 || !strings.Contains(out, "AffinityExemptions are not applied") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
