package docs_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// asked is a command in a transcript that ends with affinityctl, and its answer.
var asked = regexp.MustCompile("(?s)```\n\\$ ((?:[^\n]*\\\\\n  \\| )?affinityctl [^\n]*)\n(.*?)```")

func TestDocumentsShowWhatAffinityctlSays(t *testing.T) {
	for _, document := range []string{"README.md", "docs/charts.md", "docs/tenants.md"} {
		t.Run(document, func(t *testing.T) { transcriptsHold(t, document) })
	}
}

func transcriptsHold(t *testing.T, document string) {
	t.Helper()
	text, _ := tour(t, document)
	found := asked.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		t.Fatalf("%s shows no command of affinityctl", document)
	}
	for _, transcript := range found {
		command := exec.CommandContext(t.Context(), "sh", "-c", transcript[1])
		command.Dir = filepath.Join(root(t), "test", "demo", "manifests")
		command.Env = append(os.Environ(), "PATH="+programs(t)+":"+os.Getenv("PATH"))
		out, err := command.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if string(out) != transcript[2] {
			t.Errorf("%s\nsays\n%s\n%s\n%s", transcript[1], out, document, transcript[2])
		}
	}
}

// tour divides a document: what it shows of files, and the section that asks the
// cluster of the demo.
func tour(t *testing.T, document string) (files, cluster string) {
	before, rest, _ := strings.Cut(read(t, document), "\n## Sixty seconds with affinityctl\n")
	cluster, after, _ := strings.Cut(rest, "\n## ")
	return before + "\n## " + after, cluster
}

// What the README asks of a cluster, the demo asks, and checks the answer.
func TestTheDemoPlaysTheTourOfTheReadme(t *testing.T) {
	_, shown := tour(t, "README.md")
	played := read(t, "test/demo/questions.go")
	commands := regexp.MustCompile(`(?m)^\$ (affinityctl .*)$`).FindAllStringSubmatch(shown, -1)
	if len(commands) == 0 {
		t.Fatal("the README asks nothing of a cluster")
	}
	for _, command := range commands {
		if !strings.Contains(played, `"`+command[1]+`"`) {
			t.Errorf("the demo does not play %s", command[1])
		}
	}
}

// programs are the folders of what the transcripts call.
func programs(t *testing.T) string {
	t.Helper()
	var folders []string
	for _, name := range []string{"affinityctl", "helm"} {
		path, err := controlplane.Binary(name)
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, filepath.Dir(path))
	}
	return strings.Join(folders, ":")
}

// The denial that the README shows is the one that the demo holds the cluster to.
func TestTheReadmeShowsTheDenialOfTheDemo(t *testing.T) {
	denial := regexp.MustCompile("needsZone = `([^`]*)`").FindStringSubmatch(read(t, "test/demo/refusals.go"))
	if denial == nil {
		t.Fatal("the demo names no denial")
	}
	if got := strings.Count(read(t, "README.md"), denial[1]); got != 5 {
		t.Errorf("the README shows %q %d times; want it in the ReplicaSet's Event, in the release's and three times from affinityctl", denial[1], got)
	}
}
