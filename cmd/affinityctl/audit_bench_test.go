package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/clustertest"
)

// crowd is a cluster of so many Pods, four to a ReplicaSet and twenty to a release, each
// with as much beside its constraints as Pods have. Every fifth breaks its class.
func crowd(t testing.TB, pods int) *clustertest.Server {
	t.Helper()
	cluster := clustertest.New(t, `
{apiVersion: cozystack.io/v1alpha1, kind: AffinityClass, metadata: {name: dc1}, spec: {nodeSelector: {zone: dc1}}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-0, labels: {zone: dc1}}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {zone: dc2}}}
`)
	ballast := strings.Repeat("what a Pod has beside its constraints ", 150)
	for i := range pods {
		namespace, release, set := fmt.Sprintf("ns-%03d", i/100), fmt.Sprintf("app-%04d", i/20), fmt.Sprintf("set-%05d", i/4)
		if i%100 == 0 {
			put(t, cluster, "v1", "Namespace", map[string]any{"name": namespace, "labels": map[string]any{"affinity.cozystack.io/enforce": "warn"}}, nil)
		}
		if i%20 == 0 {
			put(t, cluster, "helm.toolkit.fluxcd.io/v2", "HelmRelease", map[string]any{"name": release, "namespace": namespace, "labels": map[string]any{
				"apps.cozystack.io/affinity-class": "dc1", "apps.cozystack.io/application.group": "apps.cozystack.io",
				"apps.cozystack.io/application.kind": "App", "apps.cozystack.io/application.name": release}}, map[string]any{"values": map[string]any{"text": ballast}})
		}
		if i%4 == 0 {
			put(t, cluster, "apps/v1", "Deployment", map[string]any{"name": set, "namespace": namespace, "uid": "d" + set,
				"labels": map[string]any{"helm.toolkit.fluxcd.io/name": release}}, nil)
			put(t, cluster, "apps/v1", "ReplicaSet", map[string]any{"name": set, "namespace": namespace, "uid": "r" + set, "ownerReferences": ownedBy("Deployment", set, "d"+set)}, nil)
		}
		spec := map[string]any{"nodeName": fmt.Sprintf("node-%d", i%2), "containers": []any{map[string]any{"name": "c", "image": "i"}}}
		if i%5 != 0 {
			spec["nodeSelector"] = map[string]any{"zone": "dc1"}
		}
		put(t, cluster, "v1", "Pod", map[string]any{"name": fmt.Sprintf("%s-%d", set, i), "generateName": set + "-", "namespace": namespace, "uid": fmt.Sprint("p", i),
			"annotations": map[string]any{"ballast": ballast}, "ownerReferences": ownedBy("ReplicaSet", set, "r"+set)}, spec)
	}
	return cluster
}

func ownedBy(kind, name, uid string) any {
	return []any{map[string]any{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}}
}

func put(t testing.TB, cluster *clustertest.Server, apiVersion, kind string, metadata, spec map[string]any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	cluster.Add(t, text)
}

func TestAuditReadsInPagesAndEachOwnerOnce(t *testing.T) {
	cluster := crowd(t, 1200)
	code, out, errs := invoke(t, "", "audit", "-A", "--kubeconfig", cluster.Kubeconfig(t, ""))
	if code != 1 || errs != "" || !strings.Contains(out, "Pods: 1200 (960 allowed, 240 denied, 0 warned, 0 not governed, 0 unknown), 600 on a node outside their class") {
		t.Errorf("exit code %d: %s, %s", code, errs, out[max(0, len(out)-200):])
	}
	if most := cluster.Largest(); most > 500 {
		t.Errorf("a list had %d items", most)
	}
	for path, want := range map[string]int{
		"/api/v1/pods": 3, "/apis/helm.toolkit.fluxcd.io/v2/helmreleases": 1,
		"/apis/apps/v1/replicasets": 1, "/apis/apps/v1/namespaces/ns-000/replicasets/set-00000": 0,
		"/apis/helm.toolkit.fluxcd.io/v2/namespaces/ns-000/helmreleases/app-0000": 0,
	} {
		if got := cluster.Asked(path); got != want {
			t.Errorf("%s was read %d times, want %d", path, got, want)
		}
	}
}

func TestAuditReadsEachOwnerOnceThatItMayNotList(t *testing.T) {
	cluster := crowd(t, 100)
	cluster.ForbidLists("replicasets", "deployments", "helmreleases")
	code, out, errs := invoke(t, "", "audit", "-A", "--kubeconfig", cluster.Kubeconfig(t, ""))
	if code != 1 || errs != "" || !strings.Contains(out, "Pods: 100 (80 allowed, 20 denied") {
		t.Errorf("exit code %d: %s, %s", code, errs, out[max(0, len(out)-200):])
	}
	for _, path := range []string{"/apis/apps/v1/namespaces/ns-000/replicasets/set-00000", "/apis/apps/v1/namespaces/ns-000/deployments/set-00000"} {
		if got := cluster.Asked(path); got != 1 {
			t.Errorf("%s was read %d times", path, got)
		}
	}
	// Those who ask at the same moment may do so before there is an answer.
	if got := cluster.Asked("/apis/helm.toolkit.fluxcd.io/v2/namespaces/ns-000/helmreleases/app-0000"); got == 0 || got > 16 {
		t.Errorf("the release was read %d times", got)
	}
}

// BenchmarkAudit tells how much memory the program takes at most, in a process of its
// own, while the API server is played by this one.
func BenchmarkAudit(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "affinityctl")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("build affinityctl: %v\n%s", err, out)
	}
	for _, pods := range []int{2000, 20000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			cluster := crowd(b, pods)
			kubeconfig := cluster.Kubeconfig(b, "")
			b.ResetTimer()
			for range b.N {
				command := exec.Command(binary, "audit", "-A", "-o", "json", "--kubeconfig", kubeconfig)
				b.ReportMetric(float64(peak(b, command))/1024, "MB")
			}
			b.ReportMetric(float64(pods*b.N)/b.Elapsed().Seconds(), "pods/s")
		})
	}
}

// peak runs the program and gives the most memory that it held, in kB, as Linux tells it
// every few milliseconds. (What is told of a child that has ended counts its parent's
// memory too, from before exec.)
func peak(b *testing.B, command *exec.Cmd) (most int) {
	b.Helper()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if end := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &end) || end.ExitCode() != exitNo) {
				b.Fatal(err)
			}
			return most
		case <-time.After(5 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			if now := 0; after != "" {
				_, _ = fmt.Sscan(after, &now)
				most = max(most, now)
			}
		}
	}
}
