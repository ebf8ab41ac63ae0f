package review

import (
	"context"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// Reads are one review's reads of lineage: Get may answer from memory, the
// Getter that Live returns reads each object anew, once in the review.
type Reads interface {
	lineage.Getter
	Live() lineage.Getter
}

// Begin starts the reads of one review in a namespace.
type Begin func(namespace string) Reads

// Policies is what is known of classes and tenants. An error of theirs is the API
// server's, or wraps it.
type Policies interface {
	// Current is what is remembered. A namespace that nothing is remembered of is
	// read first: it may be new, and its tenant's.
	Current(ctx context.Context, namespace string) (*policy.Snapshot, error)
	// Live is a snapshot of the named classes, of those that the namespace's tenants
	// allow, and of these tenants alone, read after the call began.
	Live(ctx context.Context, namespace string, classes []string) (*policy.Snapshot, error)
}

// Files begins reviews whose objects all come from one Getter, which has
// nothing newer to offer.
func Files(get lineage.Getter) Begin {
	return func(string) Reads { return static{get} }
}

type static struct{ lineage.Getter }

func (s static) Live() lineage.Getter { return s.Getter }

// Fixed are policies that do not change, such as those read from files.
type Fixed struct{ Policy *policy.Snapshot }

// Current returns the fixed policy.
func (f Fixed) Current(context.Context, string) (*policy.Snapshot, error) { return f.Policy, nil }

// Live returns the fixed policy: there is nothing newer.
func (f Fixed) Live(context.Context, string, []string) (*policy.Snapshot, error) {
	return f.Policy, nil
}
