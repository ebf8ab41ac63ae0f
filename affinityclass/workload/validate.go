package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Validate says what is wrong with an entry, with the path of the field.
func (e *Entry) Validate() error {
	switch {
	case e.Kind == "":
		return fmt.Errorf("kind: name the kind")
	case e.Group == "" || !strings.Contains(e.Group, "."):
		return fmt.Errorf("group: %q is not the group of a custom resource", e.Group)
	}
	for i := range e.Roles {
		if err := e.Roles[i].validate(); err != nil {
			return fmt.Errorf("roles[%d].%w", i, err)
		}
	}
	return nil
}

func (r *Role) validate() error {
	if r.At == "" {
		return fmt.Errorf("at: name the object whose presence means Pods, such as spec")
	}
	if len(r.NodeSelector)+len(r.NodeAffinity) == 0 && r.Bare == "" {
		return fmt.Errorf("nodeSelector: give its path, or that of nodeAffinity, or bare")
	}
	for _, field := range []struct {
		name  string
		paths []string
	}{
		{"at", []string{r.At}}, {"enabled", given(r.Enabled)}, {"unless", r.Unless}, {"pod", r.Pod},
		{"nodeSelector", r.NodeSelector}, {"nodeAffinity", r.NodeAffinity}, {"bare", given(r.Bare)},
	} {
		if bad := slices.IndexFunc(field.paths, func(path string) bool { return !wellFormed(path) }); bad >= 0 {
			return fmt.Errorf("%s: %q is not a path such as spec.pools[].template", field.name, field.paths[bad])
		}
	}
	return nil
}

func wellFormed(path string) bool {
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), ".") {
		name := strings.TrimSuffix(step, "[]")
		if name == "" || strings.ContainsAny(name, "[]/ ") || name != "*" && strings.Contains(name, "*") {
			return false
		}
	}
	return true
}

func given(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}
