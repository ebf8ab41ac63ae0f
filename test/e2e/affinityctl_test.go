package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// affinityctl runs the real one, as the user of a kubeconfig.
func affinityctl(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := controlplane.Binary("affinityctl")
	if err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	command := exec.CommandContext(t.Context(), path, append(args, "--kubeconfig", kubeconfig)...)
	command.Stdout, command.Stderr, command.Env = &out, &problems, []string{"HOME=" + t.TempDir()}
	err = command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), problems.String(), command.ProcessState.ExitCode()
}

func TestAffinityctlClassesShowsWhatKubectlShows(t *testing.T) {
	space := governed(t, "ctl")
	establish(t, writtenClass(t, "dc12"), softer("soft", v1alpha1.Warn))
	for name, class := range map[string]string{"one": "soft", "two": "soft", "three": "dc12"} {
		deploy(t, release{space, name, class})
	}
	var out string
	eventually(t, func() error {
		var problems string
		var code int
		if out, problems, code = affinityctl(t, cp.Kubeconfig(), "classes"); code != 0 || problems != "" {
			return fmt.Errorf("affinityctl classes ends with %d: %s", code, problems)
		}
		// The server counts nodes a moment after they have come.
		if diff := cmp.Diff(fieldsOf(t), table(out, 0, 2, 3, 4)); diff != "" {
			return fmt.Errorf("kubectl (-) and affinityctl (+) differ:\n%s", diff)
		}
		return nil
	})
	t.Logf("$ affinityctl classes\n%s", out)
	one, _, code := affinityctl(t, cp.Kubeconfig(), "classes", "soft")
	for _, want := range []string{"soft", zone + "=dc1", "Warn", "3 (dc1-a, dc1-b, dc1-c)", "2 (ctl/one, ctl/two)"} {
		if code != 0 || !strings.Contains(one, want) {
			t.Errorf("affinityctl classes soft does not show %q (%d):\n%s", want, code, one)
		}
	}
	if _, said, code := affinityctl(t, cp.Kubeconfig(), "classes", "none"); code != 2 || said != "error: AffinityClass \"none\" not found\n" {
		t.Errorf("affinityctl classes none ends with %d: %s", code, said)
	}
}

// fieldsOf are the name, action, nodes and releases that kubectl shows.
func fieldsOf(t *testing.T) [][]string {
	t.Helper()
	out, problems, err := kubectl(t, "", "get", "affinityclasses", "-o",
		"custom-columns=NAME:.metadata.name,ACTION:.spec.enforcementAction,NODES:.status.nodes.matching,RELEASES:.status.releases")
	if err != nil {
		t.Fatalf("kubectl get affinityclasses: %v\n%s", err, problems)
	}
	return table(out, 0, 1, 2, 3)
}

// table are some columns of a table, which are two spaces apart or more.
func table(text string, columns ...int) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "  ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		var row []string
		for _, column := range columns {
			if column < len(cells) {
				row = append(row, cells[column])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestAffinityctlSaysWhatAUserMayNotRead(t *testing.T) {
	kubeconfig, err := world.Kubeconfig("nobody", "nobody", "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	out, said, code := affinityctl(t, kubeconfig, "classes")
	if code != 4 || out != "" || !strings.HasPrefix(said, "error: list AffinityClasses: ") || !strings.Contains(said, `User "nobody" cannot list resource "affinityclasses"`) {
		t.Errorf("affinityctl classes ends with %d:\n%s%s", code, out, said)
	}
}
