package surge

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Question is a drain that is being thought of. The snapshot and the survey were
// filled with the same objects.
type Question struct {
	Snapshot    *placement.Snapshot
	Survey      *Survey
	Mode        Mode
	Placeholder Placeholder
	Budget      *Budget // nil when the user keeps none
}

// Report is what a reservation for a drain is worth, as things stand.
type Report struct {
	Candidate string
	Mode      Mode
	Leaving   []types.NamespacedName // the Pods that have to land elsewhere, sorted
	// Standing is the node of the placeholder that an earlier run had applied, empty
	// for none: the Pod of the same namespace and name that nobody owns. It is taken
	// for what this reservation is about, so it neither leaves nor is a neighbour.
	Standing string
	Earlier  types.NamespacedName // its name; zero for none
	// Placeholder is nil when there is nothing to reserve or something is refused.
	Placeholder *v1.Pod

	DrainSized, WholeNode *Size // both, whatever the mode

	// Hosts are those that could take the placeholder of either size, by name, and
	// which of the Pods that leave each of them refuses.
	Hosts []Host
	// Elsewhere is, for every Pod that leaves, its place in the rest of the cluster.
	Elsewhere []Place

	Residuals  []Residual // why occupied hosts take a whole node's worth; by host
	Narrowings []Narrowing
	Holds      []Hold // PodDisruptionBudgets that would hold up the drain; by name
	Pinned     []Pinned
	Unmodelled []Unmodelled
	Unmanaged  []types.NamespacedName // Pods that nothing creates again
	// Terminating are those of Leaving that are being deleted already. They count all
	// the same: whether something creates them again is not known.
	Terminating []types.NamespacedName
}

// Size is the reservation of the report's own mode.
func (r *Report) Size() *Size {
	if r.Mode == WholeNode {
		return r.WholeNode
	}
	return r.DrainSized
}

// Host is a node, and the Pods that it refuses when all are to run there: the
// others have a place.
type Host struct {
	Node    string
	Refused []Refused
}

// Refused is a Pod that a host does not take beside the others.
type Refused struct {
	Pod    types.NamespacedName
	Stage  string
	Reason *placement.Reason
	Class  Class
}

// audit is a question while it is being answered.
type audit struct {
	*Question
	candidate *Candidate
	leaving   []*v1.Pod
	standing  types.NamespacedName // the placeholder that is there already; zero for none
	requests  []*placement.Request // of those that leave, in the same order
	cordoned  *placement.Drained   // nobody has left yet
	drained   *placement.Drained   // all have
	report    *Report
}

// Audit answers. Where Pods land one after another, it is by priority and else by
// name; each sees those placed before it, none the Pods that leave as they are
// now. The error is ErrNoNode, a *NoLabelError, or says which Pod's selector
// cannot be read.
func Audit(q *Question) (*Report, error) {
	a, err := begin(q)
	if err != nil {
		return nil, err
	}
	if err := a.sizes(); err != nil {
		return nil, err
	}
	a.report.Hosts = a.hosts()
	a.report.DrainSized.unplaced(a.report.Hosts)
	a.report.WholeNode.unplaced(a.report.Hosts)
	a.report.Elsewhere = a.elsewhere()
	a.report.Residuals = a.residuals()
	a.report.Holds = a.holds()
	a.unmodelled()
	return a.report, a.narrow()
}

func begin(q *Question) (*audit, error) {
	candidate, err := q.Survey.Candidate()
	if err != nil {
		return nil, err
	}
	a := &audit{Question: q, candidate: candidate}
	a.report = &Report{Candidate: candidate.Node.Name, Mode: q.Mode}
	a.stands()
	a.leaving = candidate.Reschedulable()
	for _, pod := range a.leaving {
		request, err := placement.FromPod(anew(pod))
		if err != nil {
			return nil, err
		}
		a.requests = append(a.requests, request)
		a.report.Leaving = append(a.report.Leaving, keyOf(pod))
	}
	a.cordoned = q.Snapshot.Drain(candidate.Node.Name, nil)
	a.drained = q.Snapshot.Drain(candidate.Node.Name, append(slices.Clone(a.report.Leaving), a.standing))
	return a, nil
}

// stands leaves out the placeholder that is there already. It is known by its
// whole name: a label anyone may set.
func (a *audit) stands() {
	key := types.NamespacedName{Namespace: a.Placeholder.Namespace, Name: nameFor(a.candidate.Node.Name)}
	if a.report.Standing = a.Survey.standing(key); a.report.Standing == "" {
		return
	}
	a.standing, a.report.Earlier = key, key
	a.candidate.Pods = slices.DeleteFunc(a.candidate.Pods, func(pod *v1.Pod) bool { return keyOf(pod) == key })
}

// anew is the Pod as its controller would create it again: on no node.
func anew(pod *v1.Pod) *v1.Pod {
	again := *pod
	again.Spec.NodeName = ""
	return &again
}

// hosts judges every host that could take the placeholder of either size.
func (a *audit) hosts() []Host {
	all := slices.Concat(a.report.DrainSized.Absorb, a.report.WholeNode.Absorb)
	slices.Sort(all)
	var hosts []Host
	for _, lodging := range a.drained.Together(a.requests, slices.Compact(all)) {
		host := Host{Node: lodging.Node}
		for _, refused := range lodging.Refused {
			host.Refused = append(host.Refused, Refused{
				Pod: a.report.Leaving[refused.Request], Stage: refused.Stage, Reason: refused.Reason,
				Class: Classify(refused.Stage, refused.Reason),
			})
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// request makes the placeholder of a size into a request.
func (a *audit) request(r *Reservation, same []string) (*v1.Pod, *placement.Request, error) {
	placeholder := a.Placeholder
	placeholder.Same = same
	pod, err := placeholder.Pod(a.candidate, r)
	if err != nil {
		return nil, nil, err
	}
	request, err := placement.FromPod(pod)
	if err != nil {
		return nil, nil, fmt.Errorf("read placeholder: %w", err)
	}
	return pod, request, nil
}
