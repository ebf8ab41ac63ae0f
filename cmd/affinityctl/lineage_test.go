package main

import (
	"strings"
	"testing"
)

const shop = "testdata/world/shop.yaml"

func TestLineageAnswers(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get a tree", []string{"pod/web-7c-1"}, 0, "lineage.txt"},
		{"programs get JSON", []string{"pod/web-7c-1", "-o", "json"}, 0, "lineage.json"},
		{"an owner that is gone is named", []string{"pod/orphan"}, 1, "lineage-broken.txt"},
		{"so is the end of a chain without a release", []string{"pod/stray", "-n", "tenant-acme"}, 1, "lineage-unmanaged.txt"},
		{"another kind can be asked about", []string{"deployments.apps/web"}, 0, "lineage-deployment.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for source, flags := range map[string][]string{"cluster": {"--kubeconfig", cluster}, "files": {"-f", shop}} {
				args := append([]string{"lineage"}, tt.args...)
				if source == "files" && !strings.Contains(strings.Join(args, " "), "-n ") {
					args = append(args, "-n", "shop")
				}
				code, out, errs := invoke(t, "", append(args, flags...)...)
				if code != tt.code || errs != "" {
					t.Errorf("%s: exit code %d, stderr %q", source, code, errs)
				}
				golden(t, tt.file, out)
			}
		})
	}
}

func TestLineageOfTwoReleasesShowsBoth(t *testing.T) {
	const two = `
apiVersion: v1
kind: Pod
metadata:
  name: both
  namespace: shop
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: a, uid: a}
  - {apiVersion: v1, kind: ConfigMap, name: b, uid: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop, uid: a, labels: {helm.toolkit.fluxcd.io/name: web}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, namespace: shop, uid: b, labels: {helm.toolkit.fluxcd.io/name: plain}}
---
`
	code, out, errs := invoke(t, two, "lineage", "pod/both", "-n", "shop", "-f", "-", "-f", shop)
	if code != 1 || errs != "" {
		t.Errorf("exit code %d: %s", code, errs)
	}
	golden(t, "lineage-ambiguous.txt", out)
}

func TestLineageSaysWhatItCouldNotRead(t *testing.T) {
	for _, tt := range []struct {
		name, forbidden string
		args            []string
		code            int
		stderr          string
	}{
		{"a hop", "replicasets", []string{"pod/web-7c-1"}, 4, `could not tell: read owner ReplicaSet shop/web-7c: forbidden: replicasets.apps "web-7c" is forbidden`},
		{"the release", "helmreleases", []string{"pod/web-7c-1"}, 4, "helmreleases"},
		{"the object itself", "pods", []string{"pod/web-7c-1"}, 4, `cannot get resource "pods"`},
		{"an object that is not there", "", []string{"pod/none"}, 1, "pod/none not found in namespace shop"},
		{"a kind that is not there", "", []string{"cow/web"}, 2, "no such kind: cow"},
		{"no kind at all", "", []string{"web"}, 2, "is not KIND/NAME"},
		{"not in the files", "", []string{"pod/web-7c-1", "-f", shop}, 1, "not found in namespace default of the files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cluster := served(t, shop)
			cluster.Forbid(tt.forbidden)
			code, _, errs := invoke(t, "", append([]string{"lineage", "--kubeconfig", cluster.Kubeconfig(t, "shop")}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs, tt.code, tt.stderr)
			}
		})
	}
}
