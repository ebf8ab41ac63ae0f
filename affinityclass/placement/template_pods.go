package placement

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

	v1 "k8s.io/api/core/v1"
)

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
		mergeLabelKeys(pod)
		r, err := FromPod(pod)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		r.made = o.Kind != "StatefulSet"
		if o.Kind == "DaemonSet" {
			r.daemon = daemon{pod.Namespace, o.Metadata.Name, copies.Nodes[i]}
		}
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
