package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The guide shows what the verbs say of the cluster in testdata/world.
func TestTheGuideShowsWhatTheVerbsSay(t *testing.T) {
	guide, err := os.ReadFile("../../docs/asking.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(guide), "```\n")
	if len(blocks) != 5 {
		t.Fatalf("the guide has %d blocks", len(blocks)/2)
	}
	for i, name := range map[int]string{1: "why-denied.txt", 3: "audit-shop.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", "golden", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(blocks[i]) {
			if !strings.Contains("\n"+string(text), "\n"+line) {
				t.Errorf("%s has no line %q", name, line)
			}
		}
	}
}
