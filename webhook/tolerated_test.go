package webhook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// away is a state that nobody can read.
type away struct{}

func (away) Read(func(*placement.Snapshot)) bool { return false }

func (away) Live(context.Context, string, []string) (*placement.Snapshot, error) {
	return nil, errors.New("etcd is away")
}

// A look that failed and refused nobody is still seen by who runs the server.
func TestAFailedLookThatIsOnlyWarnedOfIsLoggedAndCounted(t *testing.T) {
	s := serve(release)
	var lines strings.Builder
	s.config.Log = funcr.New(func(_, line string) { lines.WriteString(line) }, funcr.Options{})
	s.config.Reviewer = review.New(review.Files(getter(release)), review.Fixed{Policy: policy.New()}, review.Options{State: away{}})
	pod := mutated(t, s, asking(t, `{"require_with_tag":["web"]}`))
	pod.Spec.NodeSelector, pod.Spec.SchedulingGates = nil, []corev1.PodSchedulingGate{{Name: "quota"}}
	pod.OwnerReferences = nil
	got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), reviewing(t, pod, nil)))
	if !got.Allowed || len(got.Warnings) != 1 {
		t.Errorf("got %+v", got)
	}
	for _, want := range []string{`"tolerated"="NeighboursUnreadable"`, `"error"="etcd is away"`} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("the log has no %s: %s", want, lines.String())
		}
	}
	const counted = `
# HELP affinity_require_tolerated_total Pods let in with a warning that would have been refused for what they require of their neighbours, by the reason of that.
# TYPE affinity_require_tolerated_total counter
affinity_require_tolerated_total{reason="NeighboursUnreadable"} 1
`
	if err := testutil.GatherAndCompare(s.registry, strings.NewReader(counted), "affinity_require_tolerated_total"); err != nil {
		t.Error(err)
	}
}
