package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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

// command is the demo as a process of its own.
func command(t *testing.T, dir, verb string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.CommandContext(t.Context(), self, "-dir", dir, verb)
	demo.Env = append(os.Environ(), asDemo+"=1")
	return demo
}

func finished(demo *exec.Cmd) (string, error) {
	out, err := demo.CombinedOutput()
	return string(out), err
}

func TestTheDemoHoldsLivesOnAndEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	t.Cleanup(func() { _ = controlplane.Stop(dir) }) // nothing is there unless the test has failed
	out, err := finished(command(t, dir, "up"))
	if err != nil {
		t.Fatalf("up: %v\n%s", err, out)
	}
	last := fmt.Sprintf("== %d of %[1]d.", len(story()))
	for _, part := range []string{last, needsZone, noClass, "(Conflict)", refusedDC3, outside, "The story holds", "export KUBECONFIG=" + dir, "-dir " + dir + " down"} {
		if !strings.Contains(out, part) {
			t.Errorf("up does not say %q:\n%s", part, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("there is colour where no terminal is")
	}
	stillJudges(t, dir)
	if out, err = finished(command(t, dir, "up")); err != nil || !strings.Contains(out, "A demo runs already") || !strings.Contains(out, "export KUBECONFIG="+dir) {
		t.Errorf("a second up: %v\n%s", err, out)
	}
	if out, err = finished(command(t, dir, "down")); err != nil || !strings.Contains(out, "is ended") {
		t.Errorf("down: %v\n%s", err, out)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("down leaves %s: %v", dir, err)
	}
	if out, err = finished(command(t, dir, "down")); err != nil || !strings.Contains(out, "No demo runs") {
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
		do("the forgetful application gets a chart that does not forget",
			`kubectl patch helmrelease proxy -n shop --type merge -p '{"spec":{"chart":{"spec":{"chart":"web"}}}}'`, shows("patched")),
		see("and comes up", "kubectl get pods -n shop -l app=proxy -L apps.cozystack.io/affinity-class", rows(3, "Running", " dc1")),
		do("a class cannot be changed",
			`kubectl patch affinityclass dc1 --type merge -p '{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc2"}}}'`,
			shows("nodeSelector is immutable")).exits(1),
		do("a chart is held to a class without a cluster",
			"helm template web ../../../charts/examples/web -f values/dc1.yaml | affinityctl check -f - --classes class-dc2.yaml --class dc2",
			shows("Denied", `AffinityClass "dc2" requires`)).exits(1),
	}}}
	if err := d.play(t.Context(), steps); err != nil {
		t.Error(err)
	}
}

// An interrupt is no failure of what it cuts short, and leaves nothing behind.
func TestAnInterruptedStartSaysSoAndLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	t.Cleanup(func() { _ = controlplane.Stop(dir) }) // nothing is there unless the test has failed
	for _, moment := range []string{"etcd is ready", "affinity-webhook is ready"} {
		t.Run("when "+moment, func(t *testing.T) {
			out := interrupted(t, dir, moment)
			for _, failure := range []string{"start the control plane", "install the affinity webhook", "before it was ready", "deadline"} {
				if strings.Contains(out, failure) {
					t.Errorf("it tells of a failure, %q:\n%s", failure, out)
				}
			}
			if !strings.Contains(out, "interrupted") {
				t.Errorf("it does not say that it was interrupted:\n%s", out)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left: %v", dir, err)
			}
		})
	}
}

// interrupted is what a demo says that is interrupted when it has said a line.
func interrupted(t *testing.T, dir, moment string) string {
	t.Helper()
	demo := command(t, dir, "up")
	pipe, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	demo.Stderr = demo.Stdout
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), moment) {
			if err := demo.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := demo.Wait(); err == nil {
		t.Errorf("it ends as if all were well:\n%s", said.String())
	}
	return said.String()
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
