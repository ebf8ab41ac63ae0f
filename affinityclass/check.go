package affinityclass

import "fmt"

// Constraints are a Pod's own hard constraints on nodes. Its JSON is a part of
// a PodSpec's, so a Pod can be decoded no further than what is judged.
type Constraints struct {
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
}

// NodeSelectorField is where a Pod keeps the constraint that a class asks for.
const NodeSelectorField = "spec.nodeSelector"

// Violation is one way in which a Pod breaks a class's contract.
type Violation struct {
	Class string `json:"-"`
	Field string `json:"field"` // path inside the Pod, such as spec.nodeSelector
	Key   string `json:"key,omitempty"`
	Want  string `json:"want,omitempty"`
	// Got is the value found, empty for none. An empty label value is legal:
	// Found tells it from an absent key.
	Got     string `json:"got"`
	Found   bool   `json:"-"`
	Message string `json:"message"`
}

// Check returns one violation for each pair of the class's nodeSelector that
// the Pod lacks or sets to another value, sorted by key; none when the Pod keeps
// the contract. A kept contract costs no allocation.
func (c *Class) Check(pod Constraints) []Violation {
	var broken []Violation
	for _, want := range c.pairs {
		got, found := pod.NodeSelector[want.key]
		if found && got == want.value {
			continue
		}
		broken = append(broken, c.violation(want, got, found))
	}
	return broken
}

func (c *Class) violation(want pair, got string, found bool) Violation {
	seen := "found none"
	if found {
		seen = fmt.Sprintf("found %q", got)
	}
	return Violation{
		Class: c.name, Field: NodeSelectorField, Key: want.key, Want: want.value, Got: got, Found: found,
		Message: fmt.Sprintf("nodeSelector %s=%s is required, %s", want.key, want.value, seen),
	}
}
