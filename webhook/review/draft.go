package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// tried is what a draft would start.
type tried struct {
	requests []*placement.Request
	count    int  // Pods in all, of which requests may be the first few
	every    bool // a Pod on every node that takes it: a DaemonSet's
	forced   bool // the Pod names its node itself
}

// pods is how many there are, and of which the first are previewed.
func (t *tried) pods() string {
	if len(t.requests) < t.count {
		return fmt.Sprintf("the first %d of %d Pods", len(t.requests), t.count)
	}
	return fmt.Sprintf("%d Pods", t.count)
}

// readDraft makes the requests of a draft, no more than a preview may cost. A DaemonSet
// is one Pod that is asked of every node, as its controller would.
func readDraft(draft *Draft) (*tried, error) {
	object, err := spaced(draft)
	if err != nil {
		return nil, err
	}
	count, counted, err := placement.Count(object)
	if err != nil {
		return nil, err
	}
	if !counted {
		one, err := placement.FromDaemonSet(object)
		return &tried{requests: []*placement.Request{one}, count: 1, every: true}, err
	}
	t := &tried{count: count}
	bound := min(count, previewedPods, max(1, previewedBytes/len(object)))
	t.requests, _, err = placement.FromObject(object, placement.Copies{Replicas: &bound})
	t.forced = namesNode(object)
	return t, err
}

// bound leaves no more requests than may be judged on so many nodes.
func (t *tried) bound(nodes int) {
	most := max(1, judgedNodes/max(1, nodes))
	t.requests = t.requests[:min(len(t.requests), most)]
}

// spaced is the object with the request's namespace: one that a controller made may
// come without.
func spaced(draft *Draft) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(draft.Object, &object); err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	if object == nil {
		return nil, errors.New("there is no object")
	}
	metadata := map[string]json.RawMessage{}
	if given, ok := object["metadata"]; ok && string(given) != "null" {
		if err := json.Unmarshal(given, &metadata); err != nil {
			return nil, fmt.Errorf("read metadata of the object: %w", err)
		}
	}
	var err error
	if metadata["namespace"], err = json.Marshal(draft.Namespace); err != nil {
		return nil, err
	}
	if object["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// namesNode says whether a Pod names its node, so that no scheduler is asked.
func namesNode(object []byte) bool {
	var pod struct {
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	return json.Unmarshal(object, &pod) == nil && pod.Spec.NodeName != ""
}

func placedOf(previews []*placement.Preview) (count int) {
	for _, p := range previews {
		if p.Winner != "" {
			count++
		}
	}
	return count
}

// lacking is the first Pod that finds no node.
func lacking(previews []*placement.Preview) *placement.Preview {
	for _, p := range previews {
		if p.Winner == "" {
			return p
		}
	}
	return nil
}

// byNode counts the Pods that each node would take.
func byNode(previews []*placement.Preview) string {
	on := map[string]int{}
	for _, p := range previews {
		if p.Winner != "" {
			on[p.Winner]++
		}
	}
	var parts []string
	for _, node := range slices.Sorted(maps.Keys(on)) {
		parts = append(parts, fmt.Sprintf("%s %d", node, on[node]))
	}
	return strings.Join(parts, ", ")
}

// dropped is why the other nodes are no candidates, as many reasons to a warning as
// it can hold.
func dropped(p *placement.Preview) []string {
	const head = "dropped: "
	var texts []string
	for _, reason := range p.Reasons() {
		last := len(texts) - 1
		if last >= 0 && len("preview: ")+len(texts[last])+len("; ")+len(reason) <= maxWarningLength {
			texts[last] += "; " + reason
			continue
		}
		texts = append(texts, head+reason)
	}
	return texts
}

func notJudged(p *placement.Preview) string {
	if len(p.Unmodelled) == 0 {
		return ""
	}
	return "; not judged: " + strings.Join(p.Unmodelled, ", ")
}
