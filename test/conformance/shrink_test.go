package conformance_test

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

// shrink leaves out whatever the disagreement does not need.
func shrink(c *scene, disagree func(*scene) bool) *scene {
	for smaller := true; smaller; {
		smaller = false
		for _, next := range without(c) {
			if disagree(next) {
				c, smaller = next, true
				break
			}
		}
	}
	return c
}

// without are the scenes that lack one thing: a Pod, a node that bears none, a
// namespace, a field of the Pod's spec.
func without(c *scene) []*scene {
	var found []*scene
	for i := range c.pods {
		next := *c
		next.pods = slices.Delete(slices.Clone(c.pods), i, i+1)
		found = append(found, &next)
	}
	for i, n := range c.nodes {
		if !c.bears(n.Name) {
			next := *c
			next.nodes = slices.Delete(slices.Clone(c.nodes), i, i+1)
			found = append(found, &next)
		}
	}
	for i := range c.namespaces {
		next := *c
		next.namespaces = slices.Delete(slices.Clone(c.namespaces), i, i+1)
		found = append(found, &next)
	}
	return append(found, c.plainer()...)
}

func (c *scene) bears(node string) bool {
	for _, p := range c.pods {
		if p.Spec.NodeName == node {
			return true
		}
	}
	return false
}

// plainer are the scenes whose new Pod asks for one thing less.
func (c *scene) plainer() []*scene {
	var found []*scene
	spec := c.pod.Spec
	drop := func(asked int, change func(*scene)) {
		if asked == 0 {
			return
		}
		next := *c
		next.pod = c.pod.DeepCopy()
		change(&next)
		found = append(found, &next)
	}
	drop(len(spec.NodeSelector), func(s *scene) { s.pod.Spec.NodeSelector = nil })
	drop(len(spec.Tolerations), func(s *scene) { s.pod.Spec.Tolerations = s.pod.Spec.Tolerations[1:] })
	drop(len(spec.TopologySpreadConstraints), func(s *scene) {
		s.pod.Spec.TopologySpreadConstraints = s.pod.Spec.TopologySpreadConstraints[1:]
	})
	drop(len(spec.InitContainers), func(s *scene) { s.pod.Spec.InitContainers = nil })
	drop(len(spec.Containers)-1, func(s *scene) { s.pod.Spec.Containers = s.pod.Spec.Containers[1:] })
	if spec.Affinity != nil {
		drop(1, func(s *scene) { s.pod.Spec.Affinity = nil })
	}
	return found
}

// report shows a disagreement, as small as it gets.
func report(t *testing.T, family string, number int64, c *scene) {
	t.Helper()
	small := shrink(c, func(c *scene) bool { return !slices.Equal(theirs(t, c), ours(c)) })
	text, err := yaml.Marshal(map[string]any{
		"nodes": small.nodes, "pods": small.pods, "namespaces": small.namespaces, "pod": small.pod,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Errorf("kube-scheduler finds %v, placement %v; repeat: go test -run '/%s$' -cases 1 -seed %d\n%s",
		theirs(t, small), ours(small), family, number, text)
}
