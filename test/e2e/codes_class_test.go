package e2e_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

func TestCodesOfClasses(t *testing.T) {
	space := governed(t, "codes-class")
	east, west := deploy(t, release{space, "east", "dc1"}), deploy(t, release{space, "west", "dc2"})
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		want refusal
	}{
		{
			name: "a class name that is none", pod: deploy(t, release{space, "shout", "DC1"}).pod(),
			want: refusal{400, metav1.StatusReasonBadRequest, []metav1.CauseType{review.CauseClass},
				`Pod codes-class/shout (Bucket shout): label apps.cozystack.io/affinity-class=DC1 of its release is not the name of an AffinityClass: ` +
					`a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ` +
					`(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'); name another class on the application`},
		}, {
			name: "a selector that is missing", pod: east.pod(),
			want: refusal{403, metav1.StatusReasonForbidden, []metav1.CauseType{review.CauseViolation},
				`Pod codes-class/east (Bucket east): AffinityClass "dc1" requires nodeSelector topology.kubernetes.io/zone=dc1 (found none); set it in spec.nodeSelector`},
		}, {
			name: "a selector of another value", pod: east.inZone("dc2").pod(),
			want: refusal{403, metav1.StatusReasonForbidden, []metav1.CauseType{review.CauseViolation},
				`Pod codes-class/east (Bucket east): AffinityClass "dc1" requires nodeSelector topology.kubernetes.io/zone=dc1 (found "dc2"); set it in spec.nodeSelector`},
		}, {
			name: "two releases that contradict each other", pod: ofTwoReleases(t, east, west),
			want: refusal{409, metav1.StatusReasonConflict, []metav1.CauseType{review.CauseViolation},
				`Pod codes-class/torn (Bucket east, Bucket west): it belongs to releases with contradicting classes: AffinityClass "dc1" and "dc2"; ` +
					`give the releases one class, or leave the Pod one owner`},
		},
	} {
		t.Run(test.name, func(t *testing.T) { refused(t, test.pod, test.want) })
	}
}

// ofTwoReleases is a Pod with an owner in each; it keeps the class of the first.
func ofTwoReleases(t *testing.T, a, b workload) *corev1.Pod {
	t.Helper()
	one, other := a.replicaSet(0), b.replicaSet(0)
	create(t, one, other)
	pod := podOf(a.release.namespace, "torn", replicaSetOwner(one), replicaSetOwner(other))
	pod.Spec.NodeSelector = map[string]string{zone: a.release.class}
	return pod
}

func TestAPodWaitsForItsClass(t *testing.T) {
	space := governed(t, "codes-late")
	pod := deploy(t, release{space, "web", "dc9"}).inZone("dc9").pod()
	refused(t, pod, refusal{409, metav1.StatusReasonConflict, []metav1.CauseType{review.CauseNotFound},
		`Pod codes-late/web (Bucket web): AffinityClass "dc9" not found; have the platform admin create it, or name another class on the application`})

	establish(t, class("dc9"))
	// At once: a class that the watch has not told of yet is read live.
	if got, no := tried(t, pod); no {
		t.Errorf("after its class was created: %+v", got)
	}
}

// What a person reads in a shell.
func TestKubectlShowsTheMessage(t *testing.T) {
	space := governed(t, "codes-shell")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	_, got, err := kubectl(t, manifest(t, pod), "create", "-f", "-")
	want := `Error from server (Forbidden): error when creating "STDIN": ` + deniedBy +
		`Pod codes-shell/web (Bucket web): AffinityClass "dc1" requires nodeSelector topology.kubernetes.io/zone=dc1 (found none); set it in spec.nodeSelector` + "\n"
	if err == nil || got != want {
		t.Errorf("kubectl says\n%s\nwanted\n%s(%v)", got, want, err)
	}
	t.Logf("$ kubectl create -f pod.yaml\n%s", got)

	loose := podOf(space, "loose")
	loose.Labels = map[string]string{lineage.LabelFluxName: "absent"}
	if out, problems, err := kubectl(t, manifest(t, loose), "create", "-f", "-"); err != nil {
		t.Errorf("a Pod whose label names no release: %v\n%s%s", err, out, problems)
	}
}
