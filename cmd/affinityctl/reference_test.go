package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// asProgram in the environment makes the test binary the program itself, so that
// examples run as they are typed.
const asProgram = "AFFINITYCTL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheReferenceIsCurrent(t *testing.T) {
	_, out, _ := invoke(t, "", "reference")
	want, err := os.ReadFile("../../docs/affinityctl.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out); diff != "" {
		t.Errorf("run make generate; docs/affinityctl.md (-), the verbs (+):\n%s", diff)
	}
}

// program puts affinityctl, and what examples pipe from, into a folder.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for name, text := range map[string]string{
		"affinityctl": "#!/bin/sh\n" + asProgram + "=1 exec '" + self + "' \"$@\"\n",
		"kustomize":   "#!/bin/sh\ncat deployment.yaml\n",
		"kubectl":     "#!/bin/sh\ncat >/dev/null\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// copyOf is a copy of the folder that examples are typed in.
func copyOf(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// try runs a command line as a shell would, and gives its exit code.
func try(t *testing.T, bin, dir, line string) (int, string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", line)
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+filepath.Join(dir, "no-cluster"))
	out, err := command.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(out)
}

// examples are the command lines of a verb's help.
func examples(cmd *cobra.Command) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(cmd.Example, "\\\n", " "), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// verbs are the commands that do something, those of other commands too.
func verbs(of *cobra.Command) []*cobra.Command {
	var found []*cobra.Command
	for _, cmd := range of.Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.Runnable() && !cmd.HasSubCommands() {
			found = append(found, cmd)
		}
		found = append(found, verbs(cmd)...)
	}
	return found
}

// onFiles says whether a command reads files alone.
var onFiles = regexp.MustCompile(` (-f|--chart|--snapshot) `)

func TestExamplesRun(t *testing.T) {
	bin := program(t)
	for _, cmd := range verbs(newRoot()) {
		lines := examples(cmd)
		if len(lines) == 0 {
			t.Errorf("%s has no example", cmd.Name())
		}
		for _, line := range lines {
			t.Run(line, func(t *testing.T) {
				may := []int{0, exitNo, exitCapacity}
				if !onFiles.MatchString(line) || cmd.Name() == "why" || cmd.Name() == "preview" && !strings.Contains(line, "--snapshot") {
					may = append(may, exitCluster) // there is none: all else was right
				}
				if code, out := try(t, bin, copyOf(t, "testdata/examples"), line); !slices.Contains(may, code) {
					t.Errorf("exit code %d, want one of %v\n%s", code, may, out)
				}
			})
		}
	}
}

func TestAPluginIsCalledAsItsUserCallsIt(t *testing.T) {
	var out bytes.Buffer
	root := called(newRoot(), "/usr/local/bin/kubectl-affinity")
	root.SetArgs([]string{"check", "--help"})
	root.SetOut(&out)
	if code := run(context.Background(), root, &out); code != 0 {
		t.Fatal(out.String())
	}
	if help := out.String(); !strings.Contains(help, "kubectl affinity check (-f FILE") || strings.Contains(help, "affinityctl") {
		t.Errorf("got %s", help)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, _ := invoke(t, "", "completion", shell); code != 0 || !strings.Contains(out, "affinityctl") {
			t.Errorf("%s: exit code %d", shell, code)
		}
	}
	if _, out, _ := invoke(t, "", "__complete", "ch"); !strings.Contains(out, "check") {
		t.Errorf("got %q", out)
	}
}
