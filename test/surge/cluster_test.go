package surge_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// lasting is a context that cleanups may use as well.
func lasting(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

const patience = 60 * time.Second

// eventually asks until there is no error left.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := api.Create(lasting(t), object); err != nil {
		t.Fatal(err)
	}
}

// addNodes adds nodes of one pool, which are gone when the test ends.
func addNodes(t *testing.T, specs ...controlplane.NodeSpec) {
	t.Helper()
	if err := cp.AddNodes(lasting(t), specs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, spec := range specs {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: spec.Name}}
			if err := api.Delete(lasting(t), node); client.IgnoreNotFound(err) != nil {
				t.Error(err)
			}
		}
	})
}

// cordon keeps new Pods from a node.
func cordon(t *testing.T, name string) {
	t.Helper()
	change(t, name, func(n *corev1.Node) { n.Spec.Unschedulable = true })
}

func uncordon(t *testing.T, name string) {
	t.Helper()
	change(t, name, func(n *corev1.Node) { n.Spec.Unschedulable = false })
}

func change(t *testing.T, name string, how func(*corev1.Node)) {
	t.Helper()
	var node corev1.Node
	if err := api.Get(lasting(t), client.ObjectKey{Name: name}, &node); err != nil {
		t.Fatal(err)
	}
	before := node.DeepCopy()
	how(&node)
	if err := api.Patch(lasting(t), &node, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// evict asks the API server to evict a Pod, as kubectl drain does.
func evict(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := api.SubResource("eviction").Create(lasting(t), pod, eviction); err != nil {
		t.Fatalf("evict %s: %v", pod.Name, err)
	}
}

func pods(t *testing.T, match ...client.ListOption) []corev1.Pod {
	t.Helper()
	var list corev1.PodList
	if err := api.List(lasting(t), &list, append(match, client.InNamespace(space))...); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// look reads the cluster for the drain of a node, as affinityctl does.
func look(t *testing.T, candidate string, mode surge.Mode) *surge.Question {
	t.Helper()
	q := &surge.Question{
		Snapshot: placement.NewSnapshot(), Survey: surge.NewSurvey(candidate), Mode: mode,
		Placeholder: surge.Placeholder{Namespace: space, Image: "example.com/pause:1", Same: []string{"pool"}},
	}
	var nodes corev1.NodeList
	var namespaces corev1.NamespaceList
	var all corev1.PodList
	for _, list := range []client.ObjectList{&nodes, &namespaces, &all} {
		if err := api.List(lasting(t), list); err != nil {
			t.Fatal(err)
		}
	}
	for i := range nodes.Items {
		q.Snapshot.SetNode(&nodes.Items[i])
		q.Survey.AddNode(&nodes.Items[i])
	}
	for i := range namespaces.Items {
		q.Snapshot.SetNamespace(&namespaces.Items[i])
	}
	for i := range all.Items {
		q.Snapshot.SetPod(&all.Items[i])
		q.Survey.AddPod(&all.Items[i])
	}
	return q
}

func audit(t *testing.T, q *surge.Question) *surge.Report {
	t.Helper()
	report, err := surge.Audit(q)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// unschedulable says whether the scheduler has tried the Pod and given up.
func unschedulable(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
	})
}

// service is a Deployment of Pods that ask cpu and stay within their pool.
func service(name, pool, cpu string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	container := corev1.Container{Name: "main", Image: "example.com/app:1"}
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: new(int64(0)), NodeSelector: map[string]string{"pool": pool},
					Containers: []corev1.Container{container},
				},
			},
		},
	}
}

func apart(from, key string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
		{TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": from}}},
	}}}
}

// remove deletes a Deployment and returns when its Pods are gone.
func remove(t *testing.T, name string) {
	t.Helper()
	object := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
	if err := api.Delete(lasting(t), object, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if left := pods(t, client.MatchingLabels{"app": name}); len(left) > 0 {
			return fmt.Errorf("%d Pods of %s are left", len(left), name)
		}
		return nil
	})
}
