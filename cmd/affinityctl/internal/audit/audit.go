package audit

import (
	"context"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Decision is package judge's.
type Decision interface {
	Verdict(ctx context.Context, request *review.Request) review.Verdict
	Policies() *live.Policies
}

// Audit judges page after page. It is used by one goroutine.
type Audit struct {
	decision Decision
	mode     policy.Mode
	nodes    map[string]*corev1.Node // nil when they could not be read
	summary  Summary
	groups   map[key]*Release
	said     map[string]Finding // one of each message: Pods of one template are told the same
	notes    []string
}

type key struct{ namespace, release, class string }

// New makes an Audit that judges by a mode, over these nodes.
func New(decision Decision, mode policy.Mode, nodes map[string]*corev1.Node) *Audit {
	return &Audit{decision: decision, mode: mode, nodes: nodes, groups: map[key]*Release{}, said: map[string]Finding{}}
}

// Note adds what the reader should know.
func (a *Audit) Note(note string) { a.notes = append(a.notes, note) }

const workers = 16 // Pods judged at once; most of the time is spent waiting for owners

// Judge judges a page of Pods of any namespaces.
func (a *Audit) Judge(ctx context.Context, page []live.Pod) error {
	verdicts := make([]review.Verdict, len(page))
	var wait sync.WaitGroup
	next := make(chan int)
	for range workers {
		wait.Go(func() {
			for i := range next {
				verdicts[i] = a.verdict(ctx, &page[i])
			}
		})
	}
	for i := range page {
		next <- i
	}
	close(next)
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range page {
		a.fold(&page[i], &verdicts[i])
	}
	return nil
}

// verdict is that on one Pod. A namespace of the platform's own has no webhook.
func (a *Audit) verdict(ctx context.Context, pod *live.Pod) review.Verdict {
	if a.decision.Policies().Namespaces[pod.Namespace].Never {
		return review.Verdict{Kind: review.NotGoverned, Reason: review.NoRelease}
	}
	return a.decision.Verdict(ctx, &review.Request{Namespace: pod.Namespace, Pod: pod.Pod, Mode: a.mode})
}

func (a *Audit) fold(pod *live.Pod, v *review.Verdict) {
	outside := a.outside(pod, v)
	a.summary.count(v.Kind, outside)
	group := a.group(pod.Namespace, v)
	group.Pods++
	if v.Kind != review.Denied && v.Kind != review.Unknown && len(v.Violations) == 0 && !outside {
		return
	}
	f, known := a.said[v.Message]
	if !known {
		f = Finding{Message: v.Message, Violations: append([]affinityclass.Violation{}, v.Violations...)}
		a.said[v.Message] = f
	}
	f.Pod, f.Node, f.Outside = pod.Metadata.Name, pod.Node, outside
	f.Verdict, f.Reason, f.Code = v.Kind, v.Reason, v.Code
	group.Findings = append(group.Findings, f)
}

func (a *Audit) group(namespace string, v *review.Verdict) *Release {
	k := key{namespace: namespace, class: v.Facts.Class}
	if release := v.Facts.Release; release != nil {
		k.release = release.Namespace + "/" + release.Name
	}
	if a.groups[k] == nil {
		labels := a.decision.Policies().Namespaces[namespace]
		a.groups[k] = &Release{Namespace: namespace, Release: k.release, Class: k.class, Mode: labels.Mode}
	}
	return a.groups[k]
}

// outside says whether the Pod stands on a node outside its class, or, without one,
// outside every class that its tenant allows.
func (a *Audit) outside(pod *live.Pod, v *review.Verdict) bool {
	node := a.nodes[pod.Node]
	if node == nil || v.Kind == review.Unknown || v.Reason == review.ClassChanging {
		return false
	}
	policies := a.decision.Policies().Snapshot
	has := func(name string) bool {
		class, err := policies.Class(name)
		return err == nil && class.Has(node)
	}
	if v.Facts.Class != "" {
		for name := range strings.SplitSeq(v.Facts.Class, ",") {
			if _, err := policies.Class(name); err == nil && !has(name) {
				return true
			}
		}
		return false
	}
	tenancy := policies.Tenancy(pod.Namespace)
	if !tenancy.Restricted {
		return false
	}
	for _, name := range tenancy.Allowed {
		if has(name) {
			return false
		}
	}
	return true
}
