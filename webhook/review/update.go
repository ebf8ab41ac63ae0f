package review

import (
	"context"
	"fmt"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// Update judges what changes of a Pod: its binary value, and that its last
// scheduling gate goes. Nothing else is judged again.
func (r *Reviewer) Update(ctx context.Context, req *Request, old *Pod) Verdict {
	verdict, notes := Verdict{Kind: NotGoverned, Reason: Unchanged}, []string(nil)
	if !req.mirror() && asksAnew(&req.Pod, old) {
		verdict = r.asksAnew(ctx, req, old)
		notes = verdict.Warnings
	}
	if !verdict.Admits() || !lastGateGoes(&req.Pod, old) {
		return verdict
	}
	gate := *req
	gate.Pod.Metadata = old.Metadata // owners do not go in the same step as the gate
	gate.ready = &ready{notes}
	weighted := verdict.Facts.Weighted
	verdict = r.Pod(ctx, &gate)
	if verdict.Admits() {
		verdict.Facts.Weighted = weighted
	}
	return verdict
}

// asksAnew judges another binary value. It binds no Pod that exists: its terms are
// what the Pod was created with.
func (r *Reviewer) asksAnew(ctx context.Context, req *Request, old *Pod) Verdict {
	changed := *req
	changed.asksAnew = true
	changed.Pod.Metadata = old.Metadata // whose Pod it is was told at its creation
	changed.Pod.Metadata.Annotations = req.Pod.Metadata.Annotations
	found := r.find(ctx, &changed, r.begin(req.Namespace))
	if len(found.invalid) > 0 {
		return found.binaryMalformed()
	}
	v := found.announce(found.verdict(Allowed, BinaryChanged))
	v.Warnings = append(v.Warnings, clip(fmt.Sprintf("%s: %s counts from the next Pod on; this one keeps the terms that it was created with", found.title(), binaryField())))
	return v
}

func asksAnew(pod, old *Pod) bool {
	value, found := pod.Metadata.Annotations[binaryaffinity.Annotation]
	before, had := old.Metadata.Annotations[binaryaffinity.Annotation]
	return found != had || value != before
}

// lastGateGoes says whether the update makes a Pod ready to be scheduled that was
// not: from then on its constraints are final.
func lastGateGoes(pod, old *Pod) bool {
	return len(old.Spec.SchedulingGates) > 0 && len(pod.Spec.SchedulingGates) == 0
}
