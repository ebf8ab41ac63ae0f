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
	o.prepare(template)
	count := o.count()
	if o.Kind == "DaemonSet" {
		count = len(copies.Nodes)
	} else if copies.Replicas != nil {
		count = *copies.Replicas
	}
	requests := make([]*Request, 0, max(count, 0))
	for i := range count {
		if i > 0 && o.alike() {
			requests = append(requests, requests[0].named(o.podName(i)))
			continue
		}
		r, err := o.request(template.DeepCopy(), i, copies)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// prepare makes of a template what all its Pods have in common, and nothing that no
// placement reads.
func (o *owner) prepare(template *v1.Pod) {
	complete(template)
	o.revision = revision(template)
	cutTemplate(template)
}

// request makes the i-th Pod of a copy of the template.
func (o *owner) request(pod *v1.Pod, i int, copies Copies) (*Request, error) {
	o.adopt(pod, i)
	if o.Kind == "DaemonSet" {
		pin(pod, copies.Nodes[i])
	}
	mergeLabelKeys(pod)
	r, err := fromOwn(pod)
	if err != nil {
		return nil, err
	}
	r.made = o.Kind != "StatefulSet"
	if o.Kind == "DaemonSet" {
		r.daemon = daemon{pod.Namespace, o.Metadata.Name, copies.Nodes[i]}
	}
	return r, nil
}

// alike says whether the Pods differ in their names alone. Those of a StatefulSet bear
// theirs as a label, and those of a DaemonSet are for one node each.
func (o *owner) alike() bool { return o.Kind != "StatefulSet" && o.Kind != "DaemonSet" }

// named is the request under another name of ours.
func (r *Request) named(name string) *Request {
	next := *r
	next.object.Name = name
	return &next
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
