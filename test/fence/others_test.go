package fence_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byOthers use what is not the tenant's own, or who is not its user.
func byOthers() []attack {
	return []attack{
		{"a Pod of the namespace itself", func(a *arena) {
			space := &corev1.Namespace{}
			must(a.t, world.Client.Get(a.ctx, client.ObjectKey{Name: a.namespace}, space))
			a.try(pod(far, ownedBy("v1", "Namespace", space.Name, space.UID)))
		}},
		{"a Pod of a release as its owner", func(a *arena) {
			owner := release("web", nil, nil)
			a.try(owner)
			a.try(pod(far, ownedBy("helm.toolkit.fluxcd.io/v2", "HelmRelease", "web", owner.GetUID())))
		}},
		{"a Pod of a Pod that keeps the fence", func(a *arena) {
			owner := pod(near)
			owner.Name = "good"
			a.try(owner)
			a.try(pod(far, ownedBy("v1", "Pod", owner.Name, owner.UID)))
		}},
		{"a Pod made by the tenant's own ServiceAccount", func(a *arena) {
			config, err := cp.ConfigFor("user-of-"+a.namespace[len("tenant-"):], "system:authenticated")
			must(a.t, err)
			account := "system:serviceaccount:" + a.namespace + ":deployment-controller"
			must(a.t, world.Client.Create(a.ctx, everything(a.namespace)))
			config.Impersonate = rest.ImpersonationConfig{UserName: account}
			as, err := client.New(config, client.Options{Scheme: scheme.Scheme})
			must(a.t, err)
			a.user = as
			a.try(pod(far))
		}},
		{"a DaemonSet", func(a *arena) {
			theNode(a)
			a.try(&appsv1.DaemonSet{ObjectMeta: named("ds"), Spec: appsv1.DaemonSetSpec{Selector: selector(), Template: template()}})
		}},
		{"a CronJob whose hour is said to have passed", func(a *arena) {
			t := template(far)
			t.Spec.RestartPolicy = corev1.RestartPolicyNever
			cron := &batchv1.CronJob{ObjectMeta: named("cron"), Spec: batchv1.CronJobSpec{Schedule: "0 * * * *",
				JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: t}}}}
			a.try(cron)
			text := `{"status":{"lastScheduleTime":"` + cron.CreationTimestamp.UTC().Add(-90*60e9).Format("2006-01-02T15:04:05Z") + `"}}`
			if err := a.user.Status().Patch(a.ctx, cron, merged(text)); err != nil {
				a.t.Log(err)
			}
		}},
		{"a Deployment that is scaled after it was turned away", func(a *arena) {
			d := &appsv1.Deployment{ObjectMeta: named("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(0)), Selector: selector(), Template: template(far)}}
			a.try(d)
			d.Namespace = a.namespace
			if err := a.user.SubResource("scale").Patch(a.ctx, d, merged(`{"spec":{"replicas":2}}`)); err != nil {
				a.t.Log(err)
			}
		}},
	}
}

// theNode is a node outside.
func theNode(a *arena) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "far", Labels: map[string]string{zone: "dc3"}}}
	if err := world.Client.Create(a.ctx, node); err != nil {
		must(a.t, world.Client.Get(a.ctx, client.ObjectKey{Name: "far"}, node))
	}
	return node
}

// byEmptiness relies on terms that one reader takes for nothing and another for everything.
func byEmptiness() []attack {
	one := func(name string, terms ...corev1.NodeSelectorTerm) attack {
		return attack{name, func(a *arena) { a.try(pod(affine(terms...))) }}
	}
	both := func(changes ...func(*corev1.Pod)) func(*arena) { return func(a *arena) { a.try(pod(changes...)) } }
	return []attack{
		one("an empty term beside one that is outside", corev1.NodeSelectorTerm{}, needs(zone, corev1.NodeSelectorOpIn, "dc3")),
		one("below a number", needs("rank", corev1.NodeSelectorOpLt, "9")),
		one("two keys of which neither is the class's", corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: zone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"dc1"}}, {Key: zone, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"dc2"}}}}),
		{"a selector and an affinity of which one is outside", both(far, affine(needs(zone, corev1.NodeSelectorOpNotIn, "dc1", "dc2")))},
		{"a thousand allowed terms and one", func(a *arena) {
			var terms []corev1.NodeSelectorTerm
			for i := range 1000 {
				terms = append(terms, needs(zone, corev1.NodeSelectorOpIn, "dc1", fmt.Sprintf("dc%d", i%2+1)))
			}
			a.try(pod(affine(append(terms, needs(zone, corev1.NodeSelectorOpIn, "dc3"))...)))
		}},
	}
}

func everything(namespace string) client.Object {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "accounts"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "system:serviceaccounts:" + namespace}},
	}
}
