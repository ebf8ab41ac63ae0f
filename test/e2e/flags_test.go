package e2e_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/platform"
)

// Another server beside the first, with the options the other way round: it keeps
// tags alone, previews nothing and asks nothing about users, and what no node
// satisfies it only warns about.
func TestPreviewsCanBeLeftOutAndRequirementsWarnedAbout(t *testing.T) {
	s, _ := judged(t, "bin-options")
	second := *world
	process, err := second.Process("affinity-webhook-sparing", platform.Options{Flags: []string{"--previews=false", "--unsatisfiable-require=Warn"}})
	must(t, err)
	must(t, cp.Run(t.Context(), process))
	t.Cleanup(func() { must(t, cp.Terminate(process.Name)) })
	review := func(p player) []byte {
		return bytes.Replace(reviewOf(t, s.pod(t, p)), []byte(`"operation":"CREATE"`), []byte(`"operation":"CREATE","dryRun":true`), 1)
	}
	log := openAudit(t)
	for _, tt := range []struct {
		p    player
		want string
	}{
		{player{name: "plain"}, ""},
		{player{name: "lost", asks: asksWeb}, "no Pod there bears it"},
	} {
		got := post(t, second.URL+"/validate-pod", review(tt.p))
		said := strings.Join(got.Warnings, "\n")
		if !got.Allowed || strings.Contains(said, "preview") || (said == "") != (tt.want == "") || !strings.Contains(said, tt.want) {
			t.Errorf("Pod %s: allowed %t, warnings %q, want %q", tt.p.name, got.Allowed, said, tt.want)
		}
	}
	for path, count := range log.reads(t) {
		if strings.Contains(path, "subjectaccessreviews") {
			t.Errorf("%d times it was asked what a user may do", count)
		}
	}
	s.has(t, player{name: "web", tags: "web", on: s.b})
	if got := post(t, second.URL+"/validate-pod", review(player{name: "found", asks: asksWeb})); !got.Allowed || len(got.Warnings) > 0 {
		t.Errorf("a Pod that a node satisfies: allowed %t, warnings %q", got.Allowed, got.Warnings)
	}
}
