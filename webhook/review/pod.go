package review

import (
	"context"

	"github.com/cozystack/affinityclass/lineage"
)

// Reviewer judges requests. It is safe for concurrent use.
type Reviewer struct {
	begin    Begin
	policies Policies
	options  Options
}

// Options of a Reviewer; the zero value is the server's.
type Options struct {
	// Class, when set, governs every Pod, whatever releases it has.
	Class string
	// OwnerKindsRole names the ClusterRole that a message asks to extend when an
	// owner's kind is forbidden to us.
	OwnerKindsRole string
	// Referrers is asked when an AffinityClass is to be deleted.
	Referrers Referrers
	// Subtenants is asked when a Tenant is to be deleted; nil: nothing is known of any.
	Subtenants Subtenants
	// Releases is asked whom a narrowed Tenant hits; nil: nothing is known of any.
	Releases Releases
}

// New makes a Reviewer over these sources.
func New(begin Begin, policies Policies, options Options) *Reviewer {
	if options.OwnerKindsRole == "" {
		options.OwnerKindsRole = "affinity-webhook-owner-kinds"
	}
	return &Reviewer{begin: begin, policies: policies, options: options}
}

// Pod judges a Pod, or the Pod template in a file. A verdict of Denied was
// reached on live reads: the chain, its releases and their classes are read
// again before anything is denied. An allowed Pod is judged from memory where
// memory has it.
func (r *Reviewer) Pod(ctx context.Context, req *Request) Verdict {
	if req.mirror() {
		return r.finding(req).verdict(NotGoverned, MirrorPod)
	}
	reads := r.begin(req.Namespace)
	verdict := r.judge(ctx, req, reads)
	if verdict.Kind != Denied {
		return verdict
	}
	return r.judgeLive(ctx, req, reads.Live())
}

// Template looks at the Pod template of a workload, from memory, and only warns:
// whoever writes it learns at once what its Pods will be told.
func (r *Reviewer) Template(ctx context.Context, req *Request) Verdict {
	policies, err := r.policies.Current(ctx, req.Namespace)
	found := r.find(ctx, req, r.begin(req.Namespace))
	if err != nil {
		return found.policyUnreadable(err)
	}
	v := found.judge(policies)
	if v.Kind == Denied && len(v.Warnings) == 0 {
		v.Warnings = found.warnings(&v)
	}
	return v
}

func (r *Reviewer) judgeLive(ctx context.Context, req *Request, live lineage.Getter) Verdict {
	found := r.find(ctx, req, live)
	if v, ok := found.unfollowed(); ok {
		return v
	}
	policies, err := r.policies.Live(ctx, req.Namespace, found.classesAsked())
	if err != nil {
		return found.policyUnreadable(err)
	}
	return found.judge(policies)
}

func (r *Reviewer) judge(ctx context.Context, req *Request, get lineage.Getter) Verdict {
	found := r.find(ctx, req, get)
	policies, err := r.policies.Current(ctx, req.Namespace)
	if err != nil {
		return found.policyUnreadable(err)
	}
	return found.judge(policies)
}

// find walks the lineage and names the classes that govern the Pod.
func (r *Reviewer) find(ctx context.Context, req *Request, get lineage.Getter) *finding {
	found := r.finding(req)
	if r.options.Class != "" {
		found.classes = []string{r.options.Class}
		return found
	}
	found.outcome = lineage.Trace(ctx, req.subject(), get)
	found.classes, found.former = classNames(found.outcome)
	return found
}

func (r *Reviewer) finding(req *Request) *finding {
	return &finding{request: req, options: r.options}
}
