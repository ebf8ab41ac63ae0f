package check

import (
	"fmt"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// ReadPaths reads a file that says where kinds of custom resources keep what their
// Pods get: YAML or JSON, an object with the list kinds. A field that is not known
// is an error, as is a path that is none; both are named.
func ReadPaths(text []byte) ([]workload.Entry, error) {
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, err
	}
	var file struct {
		Kinds []workload.Entry `json:"kinds"`
	}
	problems, err := kjson.UnmarshalStrict(converted, &file)
	if err == nil && len(problems) > 0 {
		err = problems[0]
	}
	if err != nil {
		return nil, err
	}
	if len(file.Kinds) == 0 {
		return nil, fmt.Errorf("kinds: the list is empty")
	}
	for i := range file.Kinds {
		if err := file.Kinds[i].Validate(); err != nil {
			return nil, fmt.Errorf("kinds[%d].%w", i, err)
		}
	}
	return file.Kinds, nil
}
