package chart

import (
	"bytes"
	"fmt"
	"os"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
)

// readValues merges the files, a later one over an earlier one, and over them the
// single values, as helm does.
func readValues(files, set []string) (map[string]any, error) {
	values := map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := loader.LoadValues(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		values = loader.MergeMaps(values, more)
	}
	for _, one := range set {
		if err := strvals.ParseInto(one, values); err != nil {
			return nil, fmt.Errorf("--set %s: %w", one, err)
		}
	}
	return values, nil
}

// clone copies the maps of values: Helm writes into what it is given.
func clone(values map[string]any) map[string]any {
	copied := make(map[string]any, len(values))
	for key, value := range values {
		if below, ok := value.(map[string]any); ok {
			value = clone(below)
		}
		copied[key] = value
	}
	return copied
}
