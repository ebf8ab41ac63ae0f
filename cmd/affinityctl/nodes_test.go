package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

func TestNodesInYAMLAreThoseInJSON(t *testing.T) {
	for _, args := range [][]string{{"nodes", "--snapshot", dump}, {"nodes", "node-a", "--snapshot", dump}, {"preview", "-f", web, "--snapshot", dump}} {
		_, asJSON, _ := invoke(t, "", append(args, "-o", "json")...)
		code, asYAML, errs := invoke(t, "", append(args, "-o", "yaml")...)
		want, err := yaml.JSONToYAML([]byte(asJSON))
		if code != 0 || err != nil || asYAML != string(want) {
			t.Errorf("%v: exit code %d, %v, %s\n%s", args, code, err, errs, asYAML)
		}
	}
}

// until cancels once a text has come so often.
type until struct {
	said   bytes.Buffer
	text   string
	times  int
	cancel context.CancelFunc
}

func (u *until) Write(text []byte) (int, error) {
	n, err := u.said.Write(text)
	if strings.Count(u.String(), u.text) >= u.times {
		u.cancel()
	}
	return n, err
}

func (u *until) String() string { return u.said.String() }

func TestNodesAreWatchedUntilInterrupted(t *testing.T) {
	for format, between := range map[output.Format]string{output.Text: "\n\nNAME", output.YAML: "\n---\nnodes:", output.JSON: "}\n\n{"} {
		t.Run(string(format), func(t *testing.T) {
			cluster := served(t, dump)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out := &until{text: between, times: 2, cancel: cancel}
			var errs bytes.Buffer
			cmd := (&nodesOptions{format: output.Text, every: time.Millisecond}).command()
			cmd.SetArgs([]string{"--watch", "-o", string(format), "--kubeconfig", cluster.Kubeconfig(t, "")})
			cmd.SetOut(out)
			if code := run(ctx, cmd, &errs); code != 0 || errs.Len() > 0 {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
			if shown := strings.Count(out.String(), between); shown < 2 {
				t.Errorf("shown again %d times:\n%s", shown, out.String())
			}
		})
	}
}

func TestAFileIsNotWatched(t *testing.T) {
	code, out, errs := invoke(t, "", "nodes", "--watch", "--snapshot", dump)
	if code != 2 || out != "" || !strings.Contains(errs, "a --snapshot does not change") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

func TestAWatchOutlivesAClusterThatIsAway(t *testing.T) {
	cluster := served(t, dump)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	away := &until{text: "error: list nodes", times: 2, cancel: cancel}
	cmd := (&nodesOptions{format: output.Text, every: time.Millisecond}).command()
	cmd.SetArgs([]string{"--watch", "--kubeconfig", cluster.Kubeconfig(t, "")})
	cmd.SetOut(&until{text: "NAME", times: 1, cancel: func() { cluster.Forbid("nodes") }})
	cmd.SetErr(away)
	if code := run(ctx, cmd, away); code != 0 || strings.Count(away.String(), "error: list nodes") < 2 {
		t.Errorf("exit code %d: %s", code, away.String())
	}
}
