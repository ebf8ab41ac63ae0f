package main

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheVersionIsThatOfTheBuild(t *testing.T) {
	for _, tt := range []struct {
		reason string
		info   debug.BuildInfo
		want   string
	}{
		{"a release", debug.BuildInfo{GoVersion: "go1", Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3, go1"},
		{"nothing is known", debug.BuildInfo{GoVersion: "go1"}, "unknown, go1"},
		{"a work tree", debug.BuildInfo{GoVersion: "go1", Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}}, "(devel), commit abc with changes, go1"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, versionOf(&tt.info)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheVersionIsAskedInTwoWays(t *testing.T) {
	want := "affinityctl version " + version() + "\n"
	for _, arg := range []string{"version", "--version"} {
		if code, out, errs := invoke(t, "", arg); code != 0 || out != want || errs != "" {
			t.Errorf("%s: exit code %d, %q, stderr %q; want %q, made by %s", arg, code, out, errs, want, runtime.Version())
		}
	}
}
