package fence_test

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const ungated = `{"spec":{"schedulingGates":null}}`

// part changes a part of a Pod that has an address of its own.
func (a *arena) part(name, text string) {
	p := pod()
	p.Namespace = a.namespace
	patch := client.RawPatch(types.StrategicMergePatchType, []byte(text))
	if err := a.user.SubResource(name).Patch(a.ctx, p, patch); err != nil {
		a.t.Logf("%s: %s: %v", a.namespace, name, err)
	}
}

func ownedBy(apiVersion, kind, name string, uid types.UID) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true)}}
	}
}

// byParts change a waiting Pod through its other addresses before they let it go.
func byParts() []attack {
	later := func(name, part, text string) attack {
		return attack{name, func(a *arena) {
			a.try(pod(gated, far))
			a.part(part, text)
			a.change(pod(), merged(ungated))
		}}
	}
	return []attack{
		later("a waiting Pod that gets an ephemeral container", "ephemeralcontainers",
			`{"spec":{"schedulingGates":null,"ephemeralContainers":[{"name":"e","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Always"}]}}`),
		later("a waiting Pod that says it runs", "status", `{"spec":{"schedulingGates":null},"status":{"phase":"Running"}}`),
		{"a Pod that its user binds", func(a *arena) {
			p := pod()
			a.try(p)
			p.Namespace = a.namespace
			binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "far"}}
			if err := a.user.SubResource("binding").Create(a.ctx, p, binding); err != nil {
				a.t.Logf("%s: %v", a.namespace, err)
			}
		}},
		{"a gate that goes with the owner", func(a *arena) {
			set := replicaSet(template(near))
			set.Spec.Replicas = new(int32(0))
			a.try(set)
			a.try(pod(gated, far, func(p *corev1.Pod) {
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID}}
			}))
			a.change(pod(), merged(`{"metadata":{"ownerReferences":null},"spec":{"schedulingGates":null}}`))
		}},
		{"an affinity that comes before the gate goes", func(a *arena) {
			a.try(pod(gated))
			a.change(pod(), merged(`{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[`+
				`{"matchExpressions":[{"key":"`+zone+`","operator":"NotIn","values":["dc1","dc2"]}]}]}}}}}`))
			a.change(pod(), merged(ungated))
		}},
		{"a gate that goes by a change of the whole Pod", func(a *arena) {
			p := pod(gated)
			a.try(p)
			p.Spec.SchedulingGates, p.Labels = nil, map[string]string{"apps.cozystack.io/affinity-class": "dc1"}
			if err := a.user.Update(a.ctx, p); err != nil {
				a.t.Logf("%s: %v", a.namespace, err)
			}
		}},
		{"a gate that goes by server-side apply", func(a *arena) {
			apply := func(gates string) {
				a.change(pod(), client.RawPatch(types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"stray"},`+
					`"spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"`+zone+`":"dc3"}`+gates+`}}`)))
			}
			apply(`,"schedulingGates":[{"name":"example.org/wait"}]`)
			apply("")
		}},
	}
}
