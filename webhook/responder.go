package webhook

import (
	"time"

	"github.com/cozystack/affinityclass/webhook/review"
)

// responder is the one place that says what a verdict was, beside the response.
type responder struct{ config *Config }

func (r responder) tell(req *request, v *review.Verdict, took time.Duration) {
	r.config.Metrics.reviewed(v, took)
	r.log(req, v)
	if !v.Admits() && !v.Facts.DryRun {
		r.config.Recorder.Refused(v)
	}
}

// log keeps a line for each review: at Info what was refused, else at V(1).
func (r responder) log(req *request, v *review.Verdict) {
	log := r.config.Log
	if v.Admits() {
		log = log.V(1)
	}
	if !log.Enabled() {
		return
	}
	annotations := annotate(v)
	fields := []any{
		"uid", req.UID, "object", v.Facts.Subject, "verdict", v.Kind, "reason", v.Reason,
		"class", annotations.Class, "release", annotations.Release, "hops", v.Facts.Hops,
		"user", req.UserInfo.Username, "dryRun", v.Facts.DryRun,
	}
	if !v.Admits() {
		fields = append(fields, "code", v.Code, "message", v.Message, "chain", v.Facts.Chain)
	}
	if v.Facts.Err != nil {
		fields = append(fields, "error", v.Facts.Err.Error())
	}
	log.Info("reviewed pod", fields...)
}
