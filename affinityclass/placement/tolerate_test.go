package placement

import (
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
)

// The rule is written anew only because the original wants a logger; it must
// give the same answer for every combination.
func TestTolerationsAreThoseOfKubernetes(t *testing.T) {
	texts := []string{"", "a", "b"}
	effects := []v1.TaintEffect{"", v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
	operators := []v1.TolerationOperator{"", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpLt, v1.TolerationOpGt, "Like"}
	for _, key := range texts {
		for _, value := range texts {
			for _, effect := range effects {
				for _, operator := range operators {
					toleration := v1.Toleration{Key: key, Operator: operator, Value: value, Effect: effect}
					againstTaints(t, toleration)
				}
			}
		}
	}
}

func againstTaints(t *testing.T, toleration v1.Toleration) {
	t.Helper()
	for _, key := range []string{"a", "b"} {
		for _, value := range []string{"", "a", "b"} {
			for _, effect := range []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule} {
				taint := v1.Taint{Key: key, Value: value, Effect: effect}
				want := toleration.ToleratesTaint(logr.Discard(), &taint, false)
				if got := answers(&toleration, &taint); got != want {
					t.Errorf("%+v for %+v: got %v, want %v", toleration, taint, got, want)
				}
			}
		}
	}
}
