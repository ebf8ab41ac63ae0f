package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the guide shows of a shell is what the program prints.
func TestTheGuideShowsBinaryAffinityAsItIs(t *testing.T) {
	guide, err := os.ReadFile("../../docs/binary-affinity.md")
	if err != nil {
		t.Fatal(err)
	}
	tiers, err := os.ReadFile(filepath.Join("testdata", "golden", "preview-tiers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const value = `{"first-node": 100, "db": -50}`
	_, converted, _ := invoke(t, "", "binary", "convert", value)
	for _, shown := range []string{string(tiers), "$ affinityctl binary convert '" + value + "'\n" + converted} {
		if !strings.Contains(string(guide), "\n"+shown) {
			t.Errorf("docs/binary-affinity.md needs\n%s", shown)
		}
	}
}
