package placement

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// Count is how many Pods an object in JSON gives at a time, by its own account: one
// for a Pod, and for a DaemonSet one for each node, which is told by false. Nothing is
// made of it yet, so that a caller can bound what FromObject makes.
func Count(object []byte) (int, bool, error) {
	var o owner
	if err := json.Unmarshal(object, &o); err != nil {
		return 0, false, fmt.Errorf("read object: %w", err)
	}
	kind := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind).GroupKind()
	if _, ok, err := workload.Find(kind, object); !ok {
		return 1, true, err
	}
	return max(o.count(), 0), o.Kind != "DaemonSet", nil
}
