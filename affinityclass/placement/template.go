package placement

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

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
	r, err := FromPod(&pod)
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

// requests makes one request a Pod, each as the workload's controller would
// create it.
func (o *owner) requests(template *v1.Pod, copies Copies) ([]*Request, error) {
	complete(template)
	count := o.count()
	if o.Kind == "DaemonSet" {
		count = len(copies.Nodes)
	} else if copies.Replicas != nil {
		count = *copies.Replicas
	}
	requests := make([]*Request, 0, max(count, 0))
	for i := range count {
		pod := template.DeepCopy()
		o.adopt(pod, i)
		if o.Kind == "DaemonSet" {
			pin(pod, copies.Nodes[i])
		}
		r, err := FromPod(pod)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		r.made = o.Kind != "StatefulSet"
		requests = append(requests, r)
	}
	return requests, nil
}

// count is how many Pods the workload runs at a time.
func (o *owner) count() int {
	deref := func(n *int) int {
		if n == nil {
			return 1
		}
		return *n
	}
	switch o.Kind {
	case "Job":
		if o.Spec.Completions != nil {
			return min(deref(o.Spec.Parallelism), *o.Spec.Completions)
		}
		return deref(o.Spec.Parallelism)
	case "CronJob":
		if job := o.Spec.JobTemplate.Spec; job.Completions != nil {
			return min(deref(job.Parallelism), *job.Completions)
		}
		return deref(o.Spec.JobTemplate.Spec.Parallelism)
	default:
		return deref(o.Spec.Replicas)
	}
}

// revision stands for the template's revision: equal templates, equal revisions.
// It is not the hash that the controllers write.
func revision(template *v1.Pod) string {
	hash := fnv.New32a()
	text, _ := json.Marshal(template.Spec)
	_, _ = hash.Write(text)
	return strconv.FormatUint(uint64(hash.Sum32()), 36)
}
