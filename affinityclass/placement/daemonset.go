package placement

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// FromDaemonSet makes one request of a DaemonSet in JSON: its Pod as it is before the
// controller binds it to a node. The candidates of its preview are the nodes that
// would run one, found in one look instead of one for each node.
func FromDaemonSet(object []byte) (*Request, error) {
	var o owner
	if err := json.Unmarshal(object, &o); err != nil {
		return nil, fmt.Errorf("read DaemonSet: %w", err)
	}
	template, ok, err := workload.Find(schema.GroupKind{Group: "apps", Kind: o.Kind}, object)
	if err == nil && !ok {
		err = fmt.Errorf("%s is another kind", o.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("read DaemonSet %s: %w", o.Metadata.Name, err)
	}
	var pod v1.Pod
	if err := json.Unmarshal(template.JSON, &pod); err != nil {
		return nil, fmt.Errorf("read DaemonSet %s: %s: %w", o.Metadata.Name, template.Path, err)
	}
	pod.Namespace = namespaceOf(o.Metadata.Namespace)
	o.prepare(&pod)
	o.adopt(&pod, 0)
	tolerateConditions(&pod)
	mergeLabelKeys(&pod)
	r, err := fromOwn(&pod)
	if err != nil {
		return nil, fmt.Errorf("DaemonSet %s: %w", o.Metadata.Name, err)
	}
	r.made, r.daemon = true, daemon{pod.Namespace, o.Metadata.Name, anyNode}
	return r, nil
}
