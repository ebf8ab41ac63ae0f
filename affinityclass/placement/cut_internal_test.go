package placement

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
)

// whole has every field that a Request reads, and beside them what none does.
const whole = `{"metadata":{"namespace":"shop","name":"web","labels":{"app":"web","tag.affinity.cozystack.io/db":""},
"annotations":{"note":"long","affinity.cozystack.io/binary":"{\"require_with_tag\":[\"db\"]}"},"managedFields":[{"manager":"m"}]},
"spec":{"nodeName":"n1","nodeSelector":{"zone":"a"},"tolerations":[{"key":"t","operator":"Exists","tolerationSeconds":9}],
"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]},
"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"k","operator":"Exists"}]}}]},
"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z","labelSelector":{"matchLabels":{"a":"b"}},"namespaces":["bank"]}]},
"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":2,"podAffinityTerm":{"topologyKey":"z","labelSelector":{"matchLabels":{"a":"b"}}}}]}},
"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}],
"schedulerName":"mine","schedulingGates":[{"name":"g"}],"priority":7,"priorityClassName":"high","activeDeadlineSeconds":60,
"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"4"}},"overhead":{"cpu":"10m"},"runtimeClassName":"kata","hostNetwork":true,
"resourceClaims":[{"name":"gpu","resourceClaimName":"gpu-0"}],
"volumes":[{"name":"v0","emptyDir":{}},{"name":"v1","persistentVolumeClaim":{"claimName":"c"}},{"name":"v2","csi":{"driver":"d"}}],
"initContainers":[{"name":"i","restartPolicy":"Always","args":["a"],"resources":{"requests":{"cpu":"1"}},"ports":[{"containerPort":81,"hostPort":81}]}],
"containers":[{"name":"c","image":"x","args":["a"],"command":["b"],"env":[{"name":"E"}],"volumeMounts":[{"name":"v0","mountPath":"/v"}],
"resources":{"requests":{"memory":"1Gi"},"limits":{"memory":"1Gi"}},"ports":[{"containerPort":80,"hostPort":80,"hostIP":"1.2.3.4","protocol":"UDP"}]}]}}`

func TestCuttingATemplateChangesNoRequest(t *testing.T) {
	read := func() *v1.Pod {
		var pod v1.Pod
		if err := json.Unmarshal([]byte(whole), &pod); err != nil {
			t.Fatal(err)
		}
		return &pod
	}
	small := read()
	cutTemplate(small)
	for _, gone := range []string{"args", "command", "env", "volumeMounts", "image", "note", "managedFields", "emptyDir", `"csi"`} {
		if text, _ := json.Marshal(small); strings.Contains(string(text), gone) {
			t.Errorf("%s is kept", gone)
		}
	}
	want, err := FromPod(read())
	if err != nil {
		t.Fatal(err)
	}
	got, err := FromPod(small)
	if err != nil {
		t.Fatal(err)
	}
	if len(want.unmodelled) < 7 || len(want.ports) < 2 || len(want.needs) < 2 {
		t.Fatalf("the Pod is to have all: %v, %v, %v", want.unmodelled, want.ports, want.needs)
	}
	for _, r := range []*Request{got, want} { // what is read of the Pod itself
		slices.SortFunc(r.limits, func(a, b need) int { return strings.Compare(a.name, b.name) })
		r.pod = &v1.Pod{Spec: v1.PodSpec{
			Affinity: r.pod.Spec.Affinity, Priority: r.pod.Spec.Priority,
			PriorityClassName: r.pod.Spec.PriorityClassName, ActiveDeadlineSeconds: r.pod.Spec.ActiveDeadlineSeconds,
		}}
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("whole:\n%+v\ncut:\n%+v", want, got)
	}
}
