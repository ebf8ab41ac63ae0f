package review

import (
	"context"
	"time"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// Reviewer judges requests. It is safe for concurrent use.
type Reviewer struct {
	begin    Begin
	policies Policies
	options  Options
	previews chan struct{} // a place for each that is being made
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
	// State is asked of a Pod that requires something of its neighbours; nil: nothing is
	// known of any.
	State State
	// StateAge is how long ago State last heard of the cluster; nil: not known.
	StateAge func() time.Duration
	// UnsatisfiableRequire is what becomes of a Pod whose requirement leaves no node:
	// Deny, the default, or Warn.
	UnsatisfiableRequire v1alpha1.EnforcementAction
}

// New makes a Reviewer over these sources.
func New(begin Begin, policies Policies, options Options) *Reviewer {
	if options.OwnerKindsRole == "" {
		options.OwnerKindsRole = "affinity-webhook-owner-kinds"
	}
	return &Reviewer{begin: begin, policies: policies, options: options, previews: make(chan struct{}, previewsAtWork)}
}

// Pod judges a Pod, or the Pod template in a file. A verdict of Denied was
// reached on live reads: the chain, its releases and their classes are read
// again before anything is denied. An allowed Pod is judged from memory where
// memory has it. The binary value rests on the Pod alone, whatever governs it:
// the walk then only tells whose Pod it is.
func (r *Reviewer) Pod(ctx context.Context, req *Request) Verdict {
	if req.mirror() {
		return r.finding(req).verdict(NotGoverned, MirrorPod)
	}
	reads := r.begin(req.Namespace)
	found := r.find(ctx, req, reads)
	if verdict, refused := found.refuseBinary(); refused {
		return verdict
	}
	verdict := r.judge(ctx, found)
	if verdict.Kind == Denied {
		verdict = r.judgeLive(ctx, req, reads.Live())
	} else {
		verdict = found.announce(verdict)
	}
	return r.satisfiable(ctx, found, verdict)
}

// Template looks at the Pod template of a workload, from memory, and only warns:
// whoever writes it learns at once what its Pods will be told.
func (r *Reviewer) Template(ctx context.Context, req *Request) Verdict {
	found := r.find(ctx, req, r.begin(req.Namespace))
	v, refused := found.refuseBinary()
	if !refused {
		v = r.judge(ctx, found)
	}
	if v.Kind == Denied && len(v.Warnings) == 0 {
		v.Warnings = found.warnings(&v)
	}
	return found.announce(v)
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
	return found.announce(found.judge(policies))
}

func (r *Reviewer) judge(ctx context.Context, found *finding) Verdict {
	policies, err := r.policies.Current(ctx, found.request.Namespace)
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
	found := &finding{request: req, options: r.options}
	found.readBinary()
	return found
}
