package main

import (
	"strings"
	"testing"
)

const kairon = "testdata/preview/kairon.yaml"

func TestPreviewOfEachKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"a DaemonSet has a Pod for each node that it wants, drained ones too", []string{"-f", "testdata/preview/daemonset.yaml", "--snapshot", dump}, 3, "preview-daemonset.txt"},
		{"replicas leave a DaemonSet as it is", []string{"-f", "testdata/preview/daemonset.yaml", "--snapshot", dump, "--replicas", "9"}, 3, "preview-daemonset.txt"},
		{"a Machine needs a node that is ready", []string{"-f", "testdata/preview/machine.yaml", "--snapshot", kairon}, 0, "preview-machine.txt"},
		{"the quota of Machines binds the third", []string{"-f", "testdata/preview/machine.yaml", "--snapshot", kairon, "--replicas", "3"}, 3, "preview-machines.txt"},
		{"copies of a bare Pod are Pods of their own", []string{"-f", nowhere, "--snapshot", dump, "--replicas", "2", "--node", "node-b"}, 1, "preview-copies.txt"},
		{"the class of a Pod gives its priority", []string{"-f", "testdata/preview/classes.yaml", "--snapshot", dump}, 3, "preview-classes.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"preview"}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr %q", code, tt.code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestPreviewSaysWhatASnapshotLacks(t *testing.T) {
	const (
		node      = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 4, pods: 10}}\n---\n"
		selecting = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {}, namespaceSelector: {matchLabels: {team: a}}}]}}"
		running   = "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: bank}\nspec: {nodeName: a}\n---\n"
		wary      = "apiVersion: v1\nkind: Pod\nmetadata: {name: w, namespace: bank}\nspec: {nodeName: a, " + selecting + "}\n---\n"
		quota     = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: other}\n---\n"
		bank      = "apiVersion: v1\nkind: Namespace\nmetadata: {name: bank}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n---\n"
		plain     = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	)
	for _, tt := range []struct {
		name, snapshot, pod string
		notes               []string
	}{
		{"a whole one needs no note", node + running + bank + quota, plain + "spec: {" + selecting + "}", nil},
		{"nor does one without what nobody asks for", node + running + quota, plain, nil},
		{"Pods", node + quota, plain, []string{"no Pods: every node is taken for empty"}},
		{"quotas", node + running, plain, []string{"no ResourceQuotas: none is considered"}},
		{"namespaces that a term asks for", node + running + quota, plain + "spec: {" + selecting + "}", []string{"lacks Namespace bank, default"}},
		{"namespaces that a neighbour asks for", node + wary + quota, plain, []string{"lacks Namespace bank, default"}},
		{"the priority class", node + running + quota, plain + "spec: {priorityClassName: gold}", []string{"lacks PriorityClass gold: priority 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.snapshot)
			_, out, errs := invoke(t, tt.pod, "preview", "-f", "-", "--snapshot", file)
			if errs != "" || strings.Count(out, "note: ") != len(tt.notes) {
				t.Errorf("stderr %q, want %d notes:\n%s", errs, len(tt.notes), out)
			}
			for _, note := range tt.notes {
				if !strings.Contains(out, note) {
					t.Errorf("no note says %q:\n%s", note, out)
				}
			}
		})
	}
}

func TestPreviewRefusesWhatItCannotAnswer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		stderr string
	}{
		{"a node that there is not", []string{"-f", web, "--snapshot", dump, "--node", "node-a", "--node", "node-z"}, `there is no node "node-z"`},
		{"a snapshot without nodes", []string{"-f", web, "--snapshot", web}, "the snapshot has no Nodes"},
		{"standard input for both", []string{"-f", "-", "--snapshot", "-"}, "can be read only once"},
		{"a quota that is none", []string{"-f", web, "--snapshot", write(t, "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\napiVersion: kairon.zyvor.dev/v1\nkind: MachineQuota\nmetadata: {name: q}\nspec: {maxTotalCpu: lots}\n")},
			"document 2, line 5: read MachineQuota"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"preview"}, tt.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want 2 and %q", code, errs, tt.stderr)
			}
		})
	}
}

func TestASnapshotIsOfWhatExists(t *testing.T) {
	const (
		node = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {kubernetes.io/hostname: a}}\nstatus: {allocatable: {cpu: 4, pods: 10}}\n---\n"
		db   = "apiVersion: v1\nkind: Pod\nmetadata: {name: db, labels: {app: db}}\nspec: {nodeName: a}\n"
		near = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
			"{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}}\n"
	)
	if code, out, errs := invoke(t, near, "preview", "-f", "-", "--snapshot", write(t, node+db)); code != 0 || errs != "" {
		t.Errorf("two Pods without a namespace are of the same one: exit code %d, stderr %q\n%s", code, errs, out)
	}
	nameless := strings.Replace(db, "name: db", "generateName: db-", 1)
	code, _, errs := invoke(t, near, "preview", "-f", "-", "--snapshot", write(t, node+nameless))
	if code != 2 || !strings.Contains(errs, "Pod without metadata.name: a snapshot is of what exists") || !strings.Contains(errs, "document 2") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
