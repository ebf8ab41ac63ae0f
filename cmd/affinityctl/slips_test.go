package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestANamespaceThatIsNotThereIsNoEmptyOne(t *testing.T) {
	for _, verb := range []string{"audit", "binary find"} {
		t.Run(verb, func(t *testing.T) {
			cluster := served(t, shop)
			args := append(strings.Fields(verb), "-n", "nope", "--kubeconfig", cluster.Kubeconfig(t, "shop"))
			if code, out, errs := invoke(t, "", args...); code != 2 || out != "" || errs != "error: namespace nope not found\n" {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
		})
	}
}

func TestWhoMayNotReadANamespaceGoesOn(t *testing.T) {
	server := &apiServer{forbidden: "api/v1/namespaces/closed"}
	code, out, errs := invoke(t, "", "binary", "find", "-n", "closed", "--kubeconfig", server.start(t))
	if code != 0 || !strings.Contains(out, "0 weighted, 0 binary, 0 unreadable in namespace closed; -A asks all") || errs != "" {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

func TestAMissingClusterIsToldFromAMissingContext(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	kubeconfig := served(t, shop).Kubeconfig(t, "shop")
	for _, verb := range []string{"audit", "binary find", "nodes", "classes", "why pod/a", "lineage pod/a", "preview -f " + web} {
		code, _, errs := invoke(t, "", strings.Fields(verb)...)
		if code != 4 || errs != "error: no kubeconfig: use --kubeconfig, or set KUBECONFIG\n" {
			t.Errorf("%s: exit code %d: %s", verb, code, errs)
		}
		args := append(strings.Fields(verb), "--kubeconfig", kubeconfig, "--context", "nope")
		if code, _, errs := invoke(t, "", args...); code != 2 || errs != "error: the kubeconfig has no such context: nope\n" {
			t.Errorf("%s: exit code %d: %s", verb, code, errs)
		}
	}
}

func TestANameMayHaveItsKindBeforeIt(t *testing.T) {
	for _, args := range [][]string{{"nodes", "node-a", "node/node-a", "--snapshot", dump}, {"classes", "dc12", "affinityclass/dc12", "-f", "testdata/cluster.yaml"}} {
		_, want, _ := invoke(t, "", args[0], args[1], args[3], args[4])
		if code, got, errs := invoke(t, "", args[0], args[2], args[3], args[4]); code != 0 || got != want || got == "" {
			t.Errorf("%v: exit code %d: %s%s", args, code, got, errs)
		}
	}
}
