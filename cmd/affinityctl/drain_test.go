package main

import (
	"os"
	"strings"
	"testing"
)

const (
	drainDump    = "testdata/drain/dump.yaml"
	drainClasses = "testdata/drain/classes.yaml"
)

func TestDrainAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get who has a place where, and who refuses whom", nil, 0, "drain.txt"},
		{"a whole node's worth leaves the larger host", []string{"--whole-node"}, 0, "drain-whole.txt"},
		{"a label that hosts must share takes it away", []string{"--whole-node", "--require-same", "node.kubernetes.io/instance-type"}, 0, "drain-same.txt"},
		{"a limit is held to", []string{"--limit", "cpu=16,memory=1Ti", "--in-use", "cpu=13"}, 0, "drain-limit.txt"},
		{"programs get JSON", []string{"-o", "json"}, 0, "drain.json"},
		{"kubectl gets the placeholder", []string{"-o", "manifest", "--priority-class", "low", "-n", "surge", "--image", "example.com/pause:3"}, 0, "drain-manifest.yaml"},
		{"a Pod without a place ends with one, if asked", []string{"--require-absorb"}, 1, "drain.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"drain", "n1", "--snapshot", drainDump}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr %q", code, tt.code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestDrainTakesNoImageOfANode(t *testing.T) {
	dump, err := os.ReadFile(drainDump)
	if err != nil {
		t.Fatal(err)
	}
	node := `
---
apiVersion: v1
kind: Node
metadata: {name: n9}
status: {images: [{names: ["example.com/pause:3.9"]}]}
`
	code, out, errs := invoke(t, string(dump)+node, "drain", "n1", "--snapshot", "-", "-o", "manifest")
	if code != 2 || out != "" || !strings.Contains(errs, "--image: name an image that only waits, such as the pause image of your nodes") {
		t.Errorf("exit code %d, stderr %q, got %q", code, errs, out)
	}
}

func TestDrainAsksTheClasses(t *testing.T) {
	tests := []struct {
		name, reason string
		classes      func(string) string
		args         []string
		want         string
	}{
		{"one class that does not ask is enough", "every class that contains the node must", func(s string) string { return s }, nil, "Reservation, drain-sized"},
		{"all that contain the node ask", "the other is of other nodes", func(s string) string { return strings.Replace(s, "type: m4", "type: m8", 1) }, nil,
			"Reservation, whole-node (as every class of the node asks: dc1)"},
		{"the flag wins over them", "it is this drain's", func(s string) string { return strings.Replace(s, "type: m4", "type: m8", 1) }, []string{"--whole-node=false"}, "Reservation, drain-sized:"},
		{"and where none asks", "it is this drain's", func(s string) string { return s }, []string{"--whole-node"}, "Reservation, whole-node:"},
		{"no class, no whole node", "the default is off", func(string) string { return "" }, nil, "Reservation, drain-sized:"},
	}
	text, err := os.ReadFile(drainClasses)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, tt.classes(string(text)), append([]string{"drain", "n1", "--snapshot", drainDump, "--snapshot", "-"}, tt.args...)...)
			if code != 0 || errs != "" || !strings.Contains(out, tt.want) {
				t.Errorf("%s: exit code %d, stderr %q, want %q in\n%s", tt.reason, code, errs, tt.want, out)
			}
		})
	}
}

// elsewhereOnly has a Pod, and none on n1.
const elsewhereOnly = `
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec: {nodeName: n2, containers: [{name: a}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: a, namespace: shop}
`

func TestDrainOfANodeWithoutPodsReservesNothing(t *testing.T) {
	dump := elsewhereOnly
	code, out, errs := invoke(t, dump, "drain", "n1", "--snapshot", "-")
	if code != 0 || out != "Drain of n1: no Pod has to land elsewhere, so nothing is reserved.\n" {
		t.Errorf("exit code %d, stderr %q, got %q", code, errs, out)
	}
	code, out, errs = invoke(t, dump, "drain", "n1", "--snapshot", "-", "-o", "manifest", "--image", "pause")
	if code != 0 || out != "" || !strings.Contains(errs, "nothing to reserve") {
		t.Errorf("exit code %d, stderr %q, got %q", code, errs, out)
	}
}

func TestDrainRefusesAPlaceholderOfNothing(t *testing.T) {
	dump := `
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4"}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec: {nodeName: n1, containers: [{name: a, resources: {requests: {example.com/gpu: "1"}}}]}
`
	for _, tt := range []struct {
		args []string
		code int
	}{{nil, 0}, {[]string{"--require-absorb"}, 1}, {[]string{"-o", "manifest", "--image", "pause"}, 1}} {
		code, out, errs := invoke(t, dump, append([]string{"drain", "n1", "--snapshot", "-"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out+errs, "example.com/gpu: the node's allocatable less its DaemonSets is 0, so none can be reserved") {
			t.Errorf("%v: exit code %d, stderr %q, got %q", tt.args, code, errs, out)
		}
	}
}

func TestDrainRefusesBadQuestions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		stderr string
	}{
		{"no node", nil, "accepts 1 arg"},
		{"a node that is not there", []string{"n9", "--snapshot", drainDump}, `node "n9" not found`},
		{"a label that the node lacks", []string{"n1", "--snapshot", drainDump, "--require-same", "rack"}, "node n1 has no label rack"},
		{"a limit without a quantity", []string{"n1", "--snapshot", drainDump, "--limit", "cpu"}, `--limit "cpu" is not RESOURCE=QUANTITY`},
		{"a limit given twice", []string{"n1", "--snapshot", drainDump, "--limit", "cpu=1,cpu=2"}, "--limit names cpu twice"},
		{"a limit with an empty part", []string{"n1", "--snapshot", drainDump, "--limit", "cpu=1,"}, `--limit "" is not RESOURCE=QUANTITY`},
		{"a label that no two nodes share", []string{"n1", "--snapshot", drainDump, "--require-same", "kubernetes.io/hostname"}, "no other node shares a node's hostname"},
		{"a limit of Pods", []string{"n1", "--snapshot", drainDump, "--limit", "pods=5"}, "pods is no resource that a placeholder requests"},
		{"what is in use of no limit", []string{"n1", "--snapshot", drainDump, "--in-use", "cpu=1"}, "there is none"},
		{"a blank image", []string{"n1", "--snapshot", drainDump, "--image", " "}, `--image " " names no image`},
		{"no image at all", []string{"n1", "--snapshot", drainDump, "-o", "manifest", "--image", ""}, `--image "" names no image`},
		{"a namespace that is no name", []string{"n1", "--snapshot", drainDump, "-n", "a.b"}, `-n "a.b" is no namespace`},
		{"a format that is not known", []string{"n1", "-o", "xml"}, "must be one of text, json, yaml, manifest"},
		{"a snapshot that is not there", []string{"n1", "--snapshot", "testdata/none"}, "testdata/none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := invoke(t, "", append([]string{"drain"}, tt.args...)...)
			if code != 2 || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want 2 and %q", code, errs, tt.stderr)
			}
		})
	}
}

func TestDrainSaysWhereASnapshotIsBroken(t *testing.T) {
	broken := "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nspec: 7\n"
	code, _, errs := invoke(t, broken, "drain", "n1", "--snapshot", "-")
	if code != 2 || !strings.Contains(errs, "standard input: document 2, line 5") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestDrainOfAClusterThatDoesNotAnswerEndsWithFour(t *testing.T) {
	if code, _, errs := invoke(t, "", "drain", "n1", "--kubeconfig", "testdata/none"); code != 4 || errs == "" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestDrainSaysWhatADumpLacks(t *testing.T) {
	nodes, _, _ := strings.Cut(elsewhereOnly, "---")
	code, out, errs := invoke(t, nodes, "drain", "n1", "--snapshot", "-")
	if code != 2 || out != "" || !strings.Contains(errs, "the snapshot has no Pods, so it cannot tell which of them a drain moves") {
		t.Errorf("no Pods: exit code %d, stderr %q, got %q", code, errs, out)
	}
	dump := nodes + `
status: {allocatable: {cpu: "4", pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: surge-n1, namespace: default}
spec: {nodeName: n2, containers: [{name: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop}
spec:
  nodeName: n1
  priorityClassName: high
  containers: [{name: a}]
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, namespaceSelector: {matchLabels: {a: b}}}]}}
`
	for _, format := range []string{"text", "json", "manifest"} {
		code, out, errs := invoke(t, dump, "drain", "n1", "--snapshot", "-", "-o", format, "--image", "pause")
		for _, want := range []string{
			"the snapshot lacks Namespace default, shop: a namespaceSelector is taken not to match there",
			"the snapshot lacks PriorityClass high: priority 0 is assumed",
			"the snapshot has no ResourceQuotas: none is considered",
			"the snapshot has no PodDisruptionBudgets: whether one holds up the drain is not known",
			"Pod default/surge-n1 is on n2 already: it is taken for this placeholder",
		} {
			if code != 0 || errs != "" || !strings.Contains(out, want) {
				t.Errorf("-o %s: exit code %d, stderr %q, lacks %q:\n%s", format, code, errs, want, out)
			}
		}
	}
}

func TestDrainSaysThatOnlyThePlaceholderIsThere(t *testing.T) {
	dump := elsewhereOnly + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: surge-n1, namespace: default}\nspec: {nodeName: n1, containers: [{name: a}]}\n"
	code, out, errs := invoke(t, dump, "drain", "n1", "--snapshot", "-")
	if code != 0 || !strings.Contains(out, "no Pod has to land elsewhere") || !strings.Contains(out, "note: Pod default/surge-n1 is on n1 already") {
		t.Errorf("exit code %d, stderr %q, got %q", code, errs, out)
	}
}

func TestDrainReadsQuotas(t *testing.T) {
	quota := func(namespace, pods string) string {
		return "\n---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few, namespace: " + namespace + "}\nstatus: {hard: {pods: \"" + pods + "\"}, used: {pods: \"5\"}}\n"
	}
	dump := elsewhereOnly + `---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "4", pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: shop}
spec: {nodeName: n1, containers: [{name: b}]}
`
	for _, tt := range []struct {
		name, quota string
		code        int
		want        string
	}{
		{"room for all", quota("shop", "5"), 0, "It could land on 1 of 1 other nodes: n2."},
		{"a Pod has none", quota("shop", "3"), 1, "shop/b has none wherever the others land, and no choice of host helps: "},
		{"the placeholder has none", quota("default", "5"), 1, "No node could take it, not a new one either: quota few: pods"},
	} {
		code, out, errs := invoke(t, dump+tt.quota, "drain", "n1", "--snapshot", "-", "--require-absorb")
		if code != tt.code || errs != "" || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit code %d, stderr %q, want %d and %q in\n%s", tt.name, code, errs, tt.code, tt.want, out)
		}
	}
}

// What is piped to kubectl must not be there when the answer is no.
func TestDrainPrintsNoManifestThatWouldNotDo(t *testing.T) {
	code, out, errs := invoke(t, "", "drain", "n1", "--snapshot", drainDump, "--require-absorb", "-o", "manifest", "--image", "pause")
	if code != 1 || out != "" || !strings.Contains(errs, "no placeholder for n1 is printed") {
		t.Errorf("exit code %d, stderr %q, got %q", code, errs, out)
	}
}
