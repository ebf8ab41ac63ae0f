package fault_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// commandsOf are the commands that docs/operations.md gives after a word, up to
// the next heading or bold word that begins a paragraph.
func commandsOf(t *testing.T, after string) []string {
	t.Helper()
	root, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n"+after)
	if !found {
		t.Fatalf("docs/operations.md has no paragraph %s", after)
	}
	if end := regexp.MustCompile(`\n(\*\*|#)`).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	var commands []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)\n```").FindAllStringSubmatch(section, -1) {
		commands = append(commands, strings.Split(block[1], "\n")...)
	}
	if len(commands) == 0 {
		t.Fatalf("docs/operations.md gives no command under %s", after)
	}
	return commands
}

// kubectl runs a documented command as an administrator.
func kubectl(t *testing.T, command string) {
	t.Helper()
	args, ok := strings.CutPrefix(command, "kubectl ")
	path, err := controlplane.Binary("kubectl")
	if err != nil || !ok {
		t.Fatalf("run %q: %v", command, err)
	}
	run := exec.CommandContext(context.WithoutCancel(t.Context()), path, append(strings.Fields(args), "--kubeconfig", cp.Kubeconfig())...)
	var said bytes.Buffer
	run.Stdout, run.Stderr, run.Env = &said, &said, []string{"HOME=" + t.TempDir()}
	if err := run.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said.String())
	}
	t.Logf("%s: %s", command, strings.TrimSpace(said.String()))
}
