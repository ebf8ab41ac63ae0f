package placement

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// Copies says how many Pods a workload gives.
type Copies struct {
	// Replicas overrides what the workload asks for, when not nil.
	Replicas *int
	// Nodes are those of the cluster: a DaemonSet gives one Pod for each.
	Nodes []string
}

// owner is what is read of a workload beside its template.
type owner struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            struct {
		Replicas    *int `json:"replicas"`
		Parallelism *int `json:"parallelism"`
		Completions *int `json:"completions"`
		JobTemplate struct {
			Spec struct {
				Parallelism *int `json:"parallelism"`
				Completions *int `json:"completions"`
			} `json:"spec"`
		} `json:"jobTemplate"`
		Ordinals struct {
			Start int `json:"start"`
		} `json:"ordinals"`
	} `json:"spec"`

	revision string // of the template, once it is read
}

// FromObject makes the requests of an object in JSON: a Pod or a Machine gives
// one, a workload one for each Pod it would start. What the API server and the
// workload's controller would fill in is filled in: defaults that bear on a
// placement, the labels of the controller, the owner. False says that the kind
// has no Pod.
func FromObject(object []byte, copies Copies) ([]*Request, bool, error) {
	var o owner
	if err := json.Unmarshal(object, &o); err != nil {
		return nil, false, fmt.Errorf("read object: %w", err)
	}
	kind := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
	switch {
	case kind.Kind == "Machine" && kind.Group == "kairon.zyvor.dev":
		r, err := FromMachine(object)
		if err != nil {
			return nil, false, err
		}
		return []*Request{r}, true, nil
	case kind.Kind == "Pod" && kind.Group == "":
		return podRequest(object)
	}
	template, ok, err := workload.Find(kind.GroupKind(), object)
	if !ok || err != nil {
		return nil, false, err
	}
	var pod v1.Pod
	if err := json.Unmarshal(template.JSON, &pod); err != nil {
		return nil, false, fmt.Errorf("read %s %s: %s: %w", o.Kind, o.Metadata.Name, template.Path, err)
	}
	pod.Namespace = namespaceOf(o.Metadata.Namespace)
	requests, err := o.requests(&pod, copies)
	return requests, err == nil, err
}

func podRequest(object []byte) ([]*Request, bool, error) {
	var pod v1.Pod
	if err := json.Unmarshal(object, &pod); err != nil {
		return nil, false, fmt.Errorf("read Pod: %w", err)
	}
	pod.Namespace = namespaceOf(pod.Namespace)
	complete(&pod)
	cutTemplate(&pod)
	mergeLabelKeys(&pod)
	r, err := fromOwn(&pod)
	if err != nil {
		return nil, false, err
	}
	return []*Request{r}, true, nil
}

func namespaceOf(name string) string {
	if name == "" {
		return metav1.NamespaceDefault
	}
	return name
}
