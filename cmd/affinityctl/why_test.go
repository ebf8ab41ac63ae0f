package main

import (
	"strings"
	"testing"
)

func TestWhyAnswers(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"a Pod that breaks its class where it is only warned", []string{"pod/web-7c-1"}, 0, "why-warned.txt"},
		{"the same as in mode deny", []string{"pod/web-7c-1", "--mode", "deny"}, 1, "why-denied.txt"},
		{"programs get JSON", []string{"pod/web-7c-1", "--mode", "deny", "-o", "json"}, 1, "why.json"},
		{"a Pod that waits is told what the scheduler is", []string{"pod/web-7c-3"}, 0, "why-pending.txt"},
		{"a workload by its template", []string{"deployment/web", "--mode", "deny"}, 1, "why-template.txt"},
		{"a Pod that nothing deployed, in a tenant's namespace", []string{"pod/stray", "-n", "tenant-acme"}, 1, "why-fence.txt"},
		{"a namespace in which no webhook is asked", []string{"pod/alone", "-n", "free"}, 0, "why-free.txt"},
		{"an owner that is gone", []string{"pod/orphan"}, 1, "why-orphan.txt"},
		{"what is yet to be", []string{"-f", "testdata/world/new.yaml", "--mode", "deny"}, 1, "why-new.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"why", "--kubeconfig", cluster}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestWhyNeverGuesses(t *testing.T) {
	for _, resource := range []string{"affinityclasses", "namespaces", "tenants", "replicasets", "deployments", "helmreleases", "pods"} {
		t.Run(resource, func(t *testing.T) {
			cluster := served(t, shop)
			cluster.Forbid(resource)
			pod, namespace := "pod/web-7c-2", "shop"
			if resource == "tenants" {
				pod, namespace = "pod/stray", "tenant-acme"
			}
			code, out, errs := invoke(t, "", "why", pod, "-n", namespace, "--kubeconfig", cluster.Kubeconfig(t, ""))
			said := strings.Join(strings.Fields(out+errs), " ")
			if code != 4 || !strings.Contains(said, "could not tell") || !strings.Contains(said, `resource "`+resource+`"`) {
				t.Errorf("exit code %d:\n%s%s", code, out, errs)
			}
		})
	}
}

func TestWhyRefusesBadQuestions(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		name, stdin string
		args        []string
		code        int
		stderr      string
	}{
		{"nothing", "", nil, 2, "name what to judge"},
		{"what has no Pod leads on", "", []string{"node/node-a"}, 2, "see affinityctl lineage node/node-a, or why of its Pods or workloads"},
		{"both", "", []string{"pod/a", "-f", "x"}, 2, "name what to judge"},
		{"what is not there", "", []string{"pod/none"}, 1, "pod/none not found"},
		{"what has no Pod", "", []string{"node/node-a"}, 2, "has no Pod template"},
		{"files without Pods", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", []string{"-f", "-"}, 2, "nothing to judge"},
		{"files that cannot be read", "apiVersion: v1\nkind: Pod\nspec: {nodeSelector: [a]}\n", []string{"-f", "-"}, 2, "standard input: document 1, line 1"},
		{"a mode that is none", "", []string{"pod/a", "--mode", "strict"}, 2, "must be one of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := invoke(t, tt.stdin, append([]string{"why", "--kubeconfig", cluster}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs, tt.code, tt.stderr)
			}
		})
	}
}

func TestWhySaysThatExemptionsAreNotApplied(t *testing.T) {
	cluster := served(t, shop)
	cluster.Add(t, []byte(`{"apiVersion":"cozystack.io/v1alpha1","kind":"AffinityExemption","metadata":{"name":"a"},"spec":{"usernames":["jane"],"reason":"x"}}`))
	if _, out, _ := invoke(t, "", "why", "pod/web-7c-1", "--kubeconfig", cluster.Kubeconfig(t, "shop")); !strings.Contains(out, "note: AffinityExemptions are not applied") {
		t.Error(out)
	}
	cluster.Forbid("affinityexemptions")
	if code, out, _ := invoke(t, "", "why", "pod/web-7c-1", "--kubeconfig", cluster.Kubeconfig(t, "shop")); code != 0 || !strings.Contains(out, "could not be read") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A Pod in a file has not met the webhook that adds the terms of its value; the answer
// is what it would be then.
func TestWhyAnswersForAPodWithABinaryValue(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: report\n  namespace: free\n  annotations:\n    affinity.cozystack.io/binary: '%s'\nspec: {containers: [{name: c}]}\n"
	for _, tt := range []struct {
		name, value string
		code        int
		want        string
	}{
		{"one that prefers may pass", `{"prefer_with_tag":["ledger"]}`, 0, "NotGoverned (NoRelease)"},
		{"one that nobody satisfies is a conflict", `{"require_with_tag":["ledger"]}`, 1, "Denied (RequireUnsatisfied, 409)"},
		{"one that cannot be read is told where", `{"require_with_tag":"ledger"}`, 1, "Denied (BinaryMalformed, 400)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, strings.Replace(pod, "%s", tt.value, 1), "why", "-f", "-", "--mode", "deny", "--kubeconfig", cluster)
			if code != tt.code || errs != "" || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d, want %d; stderr %q; want %q in\n%s", code, tt.code, errs, tt.want, out)
			}
		})
	}
}
