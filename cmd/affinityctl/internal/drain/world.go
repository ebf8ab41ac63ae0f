// Package drain turns the audit of affinityclass/placement/surge into what
// affinityctl answers: text for people, JSON for programs, and the placeholder to
// apply. It also gathers what an audit reads, of a dump or of a cluster.
//
// It decides nothing but which size is meant; every verdict and reason is surge's
// or placement's. It opens no file and knows no cluster.
package drain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
)

// World is what an audit reads.
type World struct {
	Snapshot *placement.Snapshot
	Survey   *surge.Survey
	// Seen tells what a dump lacks; nil of a cluster, which keeps nothing back.
	Seen *snapshot.Seen

	candidate string
	pods      int // of any node
	classes   []*v1alpha1.AffinityClass
}

// NewWorld is empty, for the drain of a node.
func NewWorld(candidate string) *World {
	return &World{Snapshot: placement.NewSnapshot(), Survey: surge.NewSurvey(candidate), candidate: candidate}
}

// Take records what the snapshot does not keep of an object; it passes over kinds
// of which that is nothing.
func (w *World) Take(object any) {
	switch o := object.(type) {
	case *corev1.Node:
		w.Survey.AddNode(o)
	case *corev1.Pod:
		w.pods++
		w.Survey.AddPod(o)
	case *policyv1.PodDisruptionBudget:
		w.Survey.AddBudget(o)
	case *v1alpha1.AffinityClass:
		w.classes = append(w.classes, o)
	}
}

// Add records an object of a dump, in JSON.
func (w *World) Add(kind schema.GroupKind, text []byte) error {
	switch kind.String() {
	case "Node":
		return take(w, text, w.Snapshot.SetNode)
	case "Pod":
		return take(w, text, func(pod *corev1.Pod) {
			w.Snapshot.SetPod(pod)
			if w.Seen != nil && pod.Spec.NodeName == w.candidate {
				w.Seen.Asked(kind, pod.Namespace, text)
			}
		})
	case "PodDisruptionBudget.policy":
		return take(w, text, func(*policyv1.PodDisruptionBudget) {})
	case "AffinityClass." + v1alpha1.GroupVersion.Group:
		return take(w, text, func(*v1alpha1.AffinityClass) {})
	default:
		return snapshot.Add(w.Snapshot, kind, text)
	}
}

// kinds are those of which an audit reads more than a snapshot does.
type kinds interface {
	corev1.Node | corev1.Pod | policyv1.PodDisruptionBudget | v1alpha1.AffinityClass
}

func take[T kinds](w *World, text []byte, set func(*T)) error {
	object := new(T)
	if err := json.Unmarshal(text, object); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	set(object)
	w.Take(object)
	return nil
}

// ErrNoPods says that a dump has none, of any node: of whom would have to land
// elsewhere it tells nothing.
var ErrNoPods = errors.New("the snapshot has no Pods, so it cannot tell which of them a drain moves")

// Lacking says, a sentence each, what a dump lacks that bears on the answer; nil of
// a cluster.
func (w *World) Lacking() ([]string, error) {
	if w.Seen == nil {
		return nil, nil
	}
	if w.pods == 0 {
		return nil, ErrNoPods
	}
	notes := w.Seen.Missing()
	if w.Survey.Budgets() == 0 {
		notes = append(notes, "the snapshot has no PodDisruptionBudgets: whether one holds up the drain is not known")
	}
	return notes, nil
}

// WholeNode says whether the classes of the candidate ask for a whole node's
// worth: every class that contains it must. The classes that do are given, sorted.
func (w *World) WholeNode() (bool, []string) {
	candidate, err := w.Survey.Candidate()
	if err != nil {
		return false, nil
	}
	var asking []string
	every := true
	for _, class := range w.classes {
		compiled, err := affinityclass.Compile(class)
		if err != nil || !compiled.Has(candidate.Node) {
			continue
		}
		if class.Spec.Surge.WholeNodeReservation {
			asking = append(asking, class.Name)
		} else {
			every = false
		}
	}
	slices.Sort(asking)
	return every && len(asking) > 0, asking
}
