package webhook

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/webhook/review"
)

// responder is the one place that says what a verdict was, beside the response.
type responder struct{ config *Config }

// told is what is said of a request beside its verdict.
type told struct {
	uid      types.UID
	resource string
	user     string
	took     time.Duration
}

func (r responder) tell(about told, v *review.Verdict) {
	r.config.Metrics.reviewed(about, v)
	r.log(about, v)
	if v.Wrong() && !v.Facts.DryRun {
		r.config.Recorder.Record(v)
	}
	r.weighted(v)
}

// weighted tells of a value with weights that was accepted.
func (r responder) weighted(v *review.Verdict) {
	if v.Facts.Weighted != nil && !v.Facts.DryRun {
		r.config.Recorder.RecordWeights(v)
	}
}

// log keeps a line for each review: at Info what was refused, would have been or
// was exempt, else at V(1). An error that was tolerated is seen nowhere else.
func (r responder) log(about told, v *review.Verdict) {
	log := r.config.Log
	if !v.Wrong() && v.Facts.Exempt == "" && v.Facts.Tolerated == "" {
		log = log.V(1)
	}
	if !log.Enabled() {
		return
	}
	annotations := annotate(v)
	fields := []any{
		"uid", about.uid, "object", v.Facts.Subject, "verdict", v.Kind, "reason", v.Reason,
		"class", annotations.Class, "release", annotations.Release, "hops", v.Facts.Hops,
		"user", about.user, "dryRun", v.Facts.DryRun,
	}
	if v.Wrong() {
		fields = append(fields, "code", v.Code, "action", v.Facts.Action, "message", v.Message, "chain", v.Facts.Chain)
	}
	if v.Facts.Exempt != "" {
		fields = append(fields, "exempt", v.Facts.Exempt)
	}
	if v.Facts.Tolerated != "" {
		fields = append(fields, "tolerated", v.Facts.Tolerated)
	}
	if v.Facts.Err != nil {
		fields = append(fields, "error", v.Facts.Err.Error())
	}
	log.Info("reviewed "+about.resource, fields...)
}
