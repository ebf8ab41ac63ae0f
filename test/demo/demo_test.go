package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// asDemo makes the test binary the demo itself: what it starts must live on when
// its process has ended.
const asDemo = "AFFINITYCLASS_AS_DEMO"

func TestMain(m *testing.M) {
	if os.Getenv(asDemo) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command runs the demo as a process of its own.
func command(t *testing.T, dir, verb string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.CommandContext(t.Context(), self, "-dir", dir, verb)
	demo.Env = append(os.Environ(), asDemo+"=1")
	out, err := demo.CombinedOutput()
	return string(out), err
}

func TestTheDemoHoldsLivesOnAndEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	t.Cleanup(func() { _ = controlplane.Stop(dir) }) // nothing is there unless the test has failed
	out, err := command(t, dir, "up")
	if err != nil {
		t.Fatalf("up: %v\n%s", err, out)
	}
	for _, part := range []string{"== 7 of 7.", needsZone, noClass, "(Conflict)", "The story holds", "export KUBECONFIG=" + dir, "-dir " + dir + " down"} {
		if !strings.Contains(out, part) {
			t.Errorf("up does not say %q:\n%s", part, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("there is colour where no terminal is")
	}
	stillJudges(t, dir)
	if out, err = command(t, dir, "up"); err != nil || !strings.Contains(out, "A demo runs already") || !strings.Contains(out, "export KUBECONFIG="+dir) {
		t.Errorf("a second up: %v\n%s", err, out)
	}
	if out, err = command(t, dir, "down"); err != nil || !strings.Contains(out, "is ended") {
		t.Errorf("down: %v\n%s", err, out)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("down leaves %s: %v", dir, err)
	}
	if out, err = command(t, dir, "down"); err != nil || !strings.Contains(out, "No demo runs") {
		t.Errorf("a second down: %v\n%s", err, out)
	}
}

// stillJudges asks the webhook, whose starter has ended, for a refusal and for
// what the user is told to try.
func stillJudges(t *testing.T, dir string) {
	t.Helper()
	d, err := newDemo(dir, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	steps := []step{{"after the demo has ended", []act{
		do("a Pod of the release without its node selector is refused",
			`kubectl run probe -n shop --image=none --dry-run=server -l helm.toolkit.fluxcd.io/name=web`,
			shows("(Forbidden)", needsZone)).exits(1),
		do("the forgetful Deployment gets its node selector",
			"kubectl patch deployment worker -n shop --patch-file patches/worker.yaml", shows("patched")),
		see("and comes up", "kubectl get pods -n shop -l app=worker -L apps.cozystack.io/affinity-class", rows(2, "Running", " dc1")),
		do("a class cannot be changed",
			`kubectl patch affinityclass dc1 --type merge -p '{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc2"}}}'`,
			shows("nodeSelector is immutable")).exits(1),
		do("a manifest is held to a class without a cluster",
			"affinityctl check -f worker.yaml --classes class-dc2.yaml --class dc2", shows("Denied", `AffinityClass "dc2" requires`)).exits(1),
	}}}
	if err := d.play(t.Context(), steps); err != nil {
		t.Error(err)
	}
}

func TestAStoryThatDoesNotHoldFails(t *testing.T) {
	tests := []struct {
		name string
		act  act
		want string // in the error; empty when it holds
	}{
		{"what is expected is there", do("", "echo one two-77 three", shows("one"), exactly("one two-* three")), ""},
		{"another exit code", do("", "exit 3"), "exits with 3, not with 0"},
		{"the exit code that was expected", do("", "exit 3").exits(3), ""},
		{"a text is missing", do("", "echo one", shows("two")), `"two" is not there`},
		{"a row is missing", do("", "printf 'HEAD\na\n'", rows(2, "a")), "1 rows, want 2"},
		{"a row says something else", do("", "printf 'HEAD\na\nb\n'", rows(2, "a")), `row "b"`},
		{"nothing at all is no table", do("", "true", rows(1, "a")), "0 rows, want 1"},
		{"a line has more words", do("", "echo one two", exactly("one")), `want "one"`},
		{"a drawn word begins in another way", do("", "echo six-77", exactly("two-*")), `want "two-*"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var shown bytes.Buffer
			d, err := newDemo(t.TempDir(), &shown)
			if err != nil {
				t.Fatal(err)
			}
			err = d.play(t.Context(), []step{{"scene", []act{tt.act}}})
			if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if !strings.Contains(shown.String(), "$ "+tt.act.command+"\n") {
				t.Errorf("the command is not shown: %s", shown.String())
			}
		})
	}
}

func TestSentencesFitTheScreen(t *testing.T) {
	for _, step := range story() {
		for _, act := range step.acts {
			for line := range strings.Lines("$ " + act.command) {
				if len(strings.TrimRight(line, "\n")) > 80 {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
			for _, line := range wrap(act.says, width) {
				if len(line) > width {
					t.Errorf("%d columns: %s", len(line), line)
				}
			}
		}
	}
}
