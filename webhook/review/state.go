package review

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// State tells what is placed where.
type State interface {
	// Read calls f with what watches last told; false, without a call, while that is
	// not complete.
	Read(f func(*placement.Snapshot)) bool
	// Live is the nodes, and the placed bearers of the tags in a namespace, read after
	// the call began.
	Live(ctx context.Context, namespace string, tags []string) (*placement.Snapshot, error)
}

// satisfiable asks of a Pod that is let in whether the present state leaves it a node,
// for what it requires of its neighbours: a refusal, once a live read agrees, when it
// is this requirement that leaves none. A shortage is never one. Nothing is read, from
// memory either, of a Pod that requires nothing.
func (r *Reviewer) satisfiable(ctx context.Context, f *finding, v Verdict) Verdict {
	if r.options.State == nil || !v.Admits() {
		return v
	}
	value := f.required()
	if value.Empty() {
		return v
	}
	asked, err := placement.FromPod(f.request.placed(value))
	if err != nil {
		return v // which kube-scheduler tells of; no node was looked at
	}
	refused, ok := r.constrained(ctx, f, asked, value)
	switch {
	case ok:
		return v
	case r.options.UnsatisfiableRequire == v1alpha1.Warn, f.request.gated():
		v.Facts.Tolerated, v.Facts.Err = refused.Reason, refused.Facts.Err
		return v.alsoWarn(refused.Message)
	}
	refused.Warnings = v.Warnings
	return refused
}

// constrained is the refusal of a Pod whose requirement leaves no node; true when it
// leaves one. What memory has not is read live, and so is what would refuse. A Pod that
// names its node is read live in any case: no scheduler judges it after us.
func (r *Reviewer) constrained(ctx context.Context, f *finding, asked *placement.Request, value binaryaffinity.Value) (Verdict, bool) {
	var now *placement.Constraint
	known := r.options.State.Read(func(s *placement.Snapshot) { now = s.Constrain(asked) })
	if known && !now.Broken() && f.request.Pod.Spec.NodeName == "" {
		return Verdict{}, true
	}
	live, err := r.options.State.Live(ctx, f.request.Namespace, tagsOf(value))
	if err != nil {
		return f.neighboursUnread(err), false
	}
	if now = live.Constrain(asked); !now.Broken() {
		return Verdict{}, true
	}
	return f.requireUnsatisfied(now, value), false
}

// required is the half of the Pod's value that filters. A value that cannot be read
// was refused before. A Pod that exists is held to the terms that it was given with its
// value then: the annotation may have changed since, and binds the next Pod.
func (f *finding) required() binaryaffinity.Value {
	annotations := f.request.Pod.Metadata.Annotations
	if f.request.ready == nil {
		parsed, _ := binaryaffinity.Of(annotations, binaryField())
		return binaryaffinity.Value{RequireWith: parsed.Value.RequireWith, RequireWithout: parsed.Value.RequireWithout}
	}
	// The record tells the terms of the value from those that the Pod had of its own.
	// Whoever changes it is judged by kube-scheduler alone, by the same terms.
	given, _ := binaryaffinity.Parse(annotations[binaryaffinity.TranslatedAnnotation], nil)
	return binaryaffinity.Bound(given.Value, f.request.Pod.Spec.Affinity.ToPods())
}

// tagsOf are the tags that are required, with or without; no tag is both.
func tagsOf(value binaryaffinity.Value) []string {
	tags := slices.Concat(value.RequireWith, value.RequireWithout)
	slices.Sort(tags)
	return tags
}

// placed is the part of the Pod by which the stages before the constraint judge it,
// and what it requires.
func (r *Request) placed(value binaryaffinity.Value) *corev1.Pod {
	meta, spec := &r.Pod.Metadata, &r.Pod.Spec
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: r.Namespace, Name: meta.Name, GenerateName: meta.GenerateName, UID: meta.UID,
		Labels: meta.Labels, Annotations: map[string]string{binaryaffinity.Annotation: value.String()},
	}}
	pod.Spec.NodeName, pod.Spec.NodeSelector, pod.Spec.Tolerations = spec.NodeName, spec.NodeSelector, spec.Tolerations
	if spec.NodeName != "" { // it passes cordons and taints, which kube-scheduler minds
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	if a := spec.Affinity; a != nil && a.NodeAffinity != nil {
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: a.NodeAffinity.Required,
		}}
	}
	return pod
}

// requireUnsatisfied says how many nodes there were and why each will not do. Nothing
// is said of which they are, nor of those that other stages dropped.
func (f *finding) requireUnsatisfied(now *placement.Constraint, value binaryaffinity.Value) Verdict {
	last := &placement.Preview{Stages: []placement.Stage{{Name: binaryaffinity.Stage, Dropped: now.Refused()}}}
	r := refusal{
		kind: Denied, reason: RequireUnsatisfied, code: http.StatusConflict,
		cause: CauseBinary, field: binaryField().String(),
		what: fmt.Sprintf("%s: %s leaves it none of the %d node(s) that its constraints on nodes allow: %s",
			binaryaffinity.Stage, cut(value.String()), now.Before, last.Aggregate()),
		todo: "it may pass when the placed Pods of its namespace are others: " + f.request.tryLater(),
	}
	if first := now.FirstOfGroup; len(first) > 0 {
		r.todo = fmt.Sprintf("it bears %s itself and no placed Pod of its namespace does: begin the group with a Pod that "+
			"bears the tag and does not ask for it, or ask by %s", cut(strings.Join(first, ", ")), binaryaffinity.PreferWith)
	}
	return f.refuse(r)
}

func (r *Request) tryLater() string {
	if r.ready != nil {
		return "try again then; the Pod keeps the terms that it was created with"
	}
	return "try again then, or change the annotation"
}

// neighboursUnread answers when the state could not be read before a denial: nothing
// was proven, so it is none, and nothing is let in by it.
func (f *finding) neighboursUnread(err error) Verdict {
	r := refusal{
		kind: Unknown, reason: NeighboursUnreadable, code: http.StatusServiceUnavailable,
		cause: CauseBinary, field: binaryField().String(),
		what: "whether a node satisfies what it requires of its neighbours could not be read now", todo: tryAgain,
	}
	if apierrors.IsForbidden(err) {
		r.reason, r.code = NeighboursForbidden, http.StatusForbidden
		r.what = "whether a node satisfies what it requires of its neighbours may not be read by the affinity webhook"
		r.todo = "have the platform admin restore the webhook's ClusterRole"
	}
	v := f.refuse(r)
	v.Facts.Err = err
	return v
}

// alsoWarn adds a warning, the first, within the bound of how many there may be.
func (v Verdict) alsoWarn(text string) Verdict {
	rest := v.Warnings[:min(len(v.Warnings), maxWarnings-1)]
	v.Warnings = append([]string{clip(printable(text))}, rest...)
	return v
}
