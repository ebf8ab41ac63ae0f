package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/clustertest"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// said is what the verbs must agree on.
type said struct {
	Verdict, Reason, Class, Release, Message string
	Code                                     int
	Violations                               []struct{ Field, Key, Want, Got, Message string }
}

// look is how a Pod may be, and the class that its release names.
type look struct {
	name, class string
	spec        map[string]any
}

func looks() []look {
	in := func(value string) map[string]any {
		return map[string]any{"nodeSelector": map[string]any{"zone": value}}
	}
	return []look{
		{"keeps its class", "dc1", in("dc1")}, {"breaks it", "dc1", in("dc2")}, {"forgets it", "dc1", map[string]any{}},
		{"names none", "", in("dc1")}, {"names one that is not there", "dc9", in("dc1")}, {"names what is no class", "Dc_1", in("dc1")},
		{"is only warned", "soft", in("dc2")},
	}
}

const agreed = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {affinity.cozystack.io/enforce: deny}}}
---
{apiVersion: cozystack.io/v1alpha1, kind: AffinityClass, metadata: {name: dc1}, spec: {nodeSelector: {zone: dc1}}}
---
{apiVersion: cozystack.io/v1alpha1, kind: AffinityClass, metadata: {name: soft}, spec: {nodeSelector: {zone: dc1}, enforcementAction: Warn}}
`

// test/parity holds check to the server; here why, audit and lineage, which read a
// cluster, are held to check, which reads files: over every chain, and Pods of each look.
func TestTheVerbsAgree(t *testing.T) {
	subjects := 0
	for _, chain := range fixture.Chains() {
		for _, look := range looks() {
			subjects++
			t.Run(chain.Name+" whose Pod "+look.name, func(t *testing.T) {
				t.Parallel()
				world := chain.World()
				cluster := clustertest.New(t, agreed)
				files := []string{}
				for _, object := range world.Objects {
					if object.GroupKind == lineage.HelmRelease {
						object.Labels = maps.Clone(object.Labels)
						if look.class != "" {
							object.Labels["apps.cozystack.io/affinity-class"] = look.class
						}
					}
					content := fixture.Content(object)
					if object == world.Start {
						content["spec"] = look.spec
					}
					text, err := json.Marshal(content)
					if err != nil {
						t.Fatal(err)
					}
					cluster.Add(t, text)
					files = append(files, string(text))
				}
				kubeconfig := cluster.Kubeconfig(t, world.Start.Namespace)
				byFiles := ofCheck(t, files)
				if diff := cmp.Diff(byFiles, ofWhy(t, kubeconfig, world.Start)); diff != "" {
					t.Errorf("check (-) and why (+) differ:\n%s", diff)
				}
				auditAgrees(t, kubeconfig, byFiles)
			})
		}
	}
	t.Logf("%d subjects", subjects)
}

func ofCheck(t *testing.T, files []string) said {
	t.Helper()
	context := agreed
	for _, file := range files[1:] {
		context += "\n---\n" + file
	}
	_, out, errs := invoke(t, files[0], "check", "-f", "-", "--classes", write(t, context), "-o", "json")
	var report struct{ Results []said }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Results) != 1 {
		t.Fatalf("check: %v: %s%s", err, out, errs)
	}
	return report.Results[0]
}

func ofWhy(t *testing.T, kubeconfig string, pod *lineage.Object) said {
	t.Helper()
	_, out, errs := invoke(t, "", "why", "pod/"+pod.Name, "-n", pod.Namespace, "--kubeconfig", kubeconfig, "-o", "json")
	var report struct{ Items []said }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Items) != 1 {
		t.Fatalf("why: %v: %s%s", err, out, errs)
	}
	return report.Items[0]
}

// auditAgrees counts: an audit lists only what is wrong.
func auditAgrees(t *testing.T, kubeconfig string, want said) {
	t.Helper()
	_, out, errs := invoke(t, "", "audit", "--kubeconfig", kubeconfig, "-o", "json")
	var report struct {
		Summary  map[string]int
		Releases []struct {
			Release, Class string
			Findings       []said
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("audit: %v: %s%s", err, out, errs)
	}
	counted := map[string]string{"Allowed": "allowed", "Denied": "denied", "Warned": "warned", "NotGoverned": "notGoverned", "Unknown": "unknown"}
	if report.Summary[counted[want.Verdict]] == 0 {
		t.Errorf("check says %s, audit counts %v", want.Verdict, report.Summary)
	}
	if want.Verdict != "Denied" && want.Verdict != "Warned" {
		return
	}
	found := fmt.Sprintf("%+v", report.Releases)
	for _, r := range report.Releases {
		for _, f := range r.Findings {
			f.Release, f.Class = r.Release, r.Class
			if cmp.Equal(f, want) {
				return
			}
		}
	}
	t.Errorf("check says %+v, audit finds %s", want, found)
}
