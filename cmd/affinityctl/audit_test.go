package main

import (
	"strings"
	"testing"
)

func TestAuditAnswers(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get a list by release", []string{"-A"}, 1, "audit.txt"},
		{"programs get JSON", []string{"-A", "-o", "json"}, 1, "audit.json"},
		{"of one namespace", nil, 1, "audit-shop.txt"},
		{"of one without findings", []string{"-n", "free", "--mode", "audit"}, 0, "audit-free.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"audit", "--kubeconfig", cluster}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestAuditFailsOnWhatIsAsked(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		failOn, mode string
		code         int
	}{
		{"denied", "deny", 1}, {"denied", "audit", 1}, // an owner that is gone is denied in any mode
		{"warned", "deny", 0}, {"warned", "warn", 1}, {"outside", "audit", 1}, {"unknown", "deny", 0}, {"unknown,outside", "deny", 1}, {"none", "deny", 0},
	} {
		if code, _, errs := invoke(t, "", "audit", "--kubeconfig", cluster, "--fail-on", tt.failOn, "--mode", tt.mode); code != tt.code || errs != "" {
			t.Errorf("--fail-on %s --mode %s: exit code %d, want %d; %s", tt.failOn, tt.mode, code, tt.code, errs)
		}
	}
	for _, bad := range []string{"some", "none,denied", ""} {
		if code, _, _ := invoke(t, "", "audit", "--kubeconfig", cluster, "--fail-on", bad); code != 2 {
			t.Errorf("--fail-on %q: exit code %d, want 2", bad, code)
		}
	}
}

func TestAuditNeverCountsWhatItCouldNotReadAsGood(t *testing.T) {
	for _, tt := range []struct {
		forbidden string
		code      int
		said      string
	}{
		{"pods", 4, "list pods: "},
		{"affinityclasses", 4, "list AffinityClasses: "},
		{"namespaces", 4, "list namespaces: "},
		{"tenants", 4, "list Tenants: "},
		{"replicasets", 1, "could not tell: read owner ReplicaSet shop/web-7c: forbidden"},
		{"helmreleases", 1, "could not tell: read release shop/web: forbidden"},
		{"nodes", 1, "note: which Pods are on a node outside their class could not be told"},
	} {
		t.Run(tt.forbidden, func(t *testing.T) {
			cluster := served(t, shop)
			cluster.Forbid(tt.forbidden)
			code, out, errs := invoke(t, "", "audit", "-A", "--kubeconfig", cluster.Kubeconfig(t, "shop"))
			if code != tt.code || !strings.Contains(out+errs, tt.said) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, tt.code, tt.said, out, errs)
			}
		})
	}
	cluster := served(t, shop)
	cluster.Forbid("nodes")
	if code, _, errs := invoke(t, "", "audit", "--fail-on", "outside", "--kubeconfig", cluster.Kubeconfig(t, "shop")); code != 4 || !strings.Contains(errs, "list nodes: ") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
