package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// asked is a command in a transcript of the guide, and its answer.
var asked = regexp.MustCompile("(?s)```\n\\$ affinityctl ([^\n]*)\n(.*?)```")

func TestTheGuideShowsWhatDrainSays(t *testing.T) {
	text, err := os.ReadFile("../../docs/surge.md")
	if err != nil {
		t.Fatal(err)
	}
	found := asked.FindAllSubmatch(text, -1)
	if len(found) != 2 {
		t.Fatalf("docs/surge.md shows %d commands", len(found))
	}
	for _, transcript := range found {
		args := strings.Fields(strings.ReplaceAll(string(transcript[1]), "record.yaml", "testdata/drain/record.yaml"))
		if code, out, errs := invoke(t, "", args...); code != 0 || errs != "" || !bytes.Equal([]byte(out), transcript[2]) {
			t.Errorf("affinityctl %s: exit code %d, %s\nsays\n%s\ndocs/surge.md\n%s", transcript[1], code, errs, out, transcript[2])
		}
	}
}

// What drain documents as JSON is what it has.
func TestTheGuideNamesEveryFieldOfDrain(t *testing.T) {
	text, err := os.ReadFile("../../docs/surge.md")
	if err != nil {
		t.Fatal(err)
	}
	_, out, _ := invoke(t, "", "drain", "n1", "--snapshot", "testdata/drain/dump.yaml", "--limit", "cpu=1", "-o", "json")
	for _, field := range regexp.MustCompile(`(?m)^  "(\w+)":`).FindAllStringSubmatch(out, -1) {
		if !bytes.Contains(text, []byte("`"+field[1]+"`")) && !bytes.Contains(text, []byte("`"+field[1]+".")) {
			t.Errorf("docs/surge.md does not name the field %s", field[1])
		}
	}
}
