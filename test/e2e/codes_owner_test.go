package e2e_test

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/webhook/review"
)

func ownerRefusal(code int32, what string) refusal {
	reasons := map[int32]metav1.StatusReason{
		403: metav1.StatusReasonForbidden, 409: metav1.StatusReasonConflict, 503: metav1.StatusReasonServiceUnavailable,
	}
	return refusal{code, reasons[code], []metav1.CauseType{review.CauseOwner}, what}
}

// The difference between these would tell a tenant what exists elsewhere.
func TestOwnersThatLeadNowhereAreAllOneAnswer(t *testing.T) {
	space := governed(t, "codes-gone")
	here := link(t, space, "here", nil)
	elsewhere := link(t, namespace(t, "codes-next", nil), "elsewhere", nil)
	want := ownerRefusal(409, "Pod codes-gone/lost: an owner reference leads to no such object; recreate it under an owner that exists, or without the owner reference")
	for name, ref := range map[string]metav1.OwnerReference{
		"no object of the name":               owner("apps/v1", "ReplicaSet", "gone", "gone"),
		"the name, of another object":         owner("apps/v1", "ReplicaSet", here.Name, "other"),
		"an object of another namespace":      replicaSetOwner(elsewhere),
		"another namespace's, borrowing ours": owner("apps/v1", "ReplicaSet", here.Name, elsewhere.UID),
		"the name, of another kind":           owner("apps/v1", "StatefulSet", here.Name, here.UID),
	} {
		t.Run(name, func(t *testing.T) { refused(t, podOf(space, "lost", ref), want) })
	}
}

func TestOwnersInACycleAreRefused(t *testing.T) {
	space := governed(t, "codes-cycle")
	first := link(t, space, "first", nil)
	second := link(t, space, "second", first)
	patch := client.MergeFrom(first.DeepCopy())
	first.OwnerReferences = []metav1.OwnerReference{replicaSetOwner(second)}
	if err := world.Client.Patch(t.Context(), first, patch); err != nil {
		t.Fatal(err)
	}
	refused(t, podOf(space, "dizzy", replicaSetOwner(second)), ownerRefusal(409,
		"Pod codes-cycle/dizzy: the owner references form a cycle; recreate it under an owner that exists, or without the owner reference"))
}

func TestSixteenHopsAreFollowedAndSeventeenAreRefused(t *testing.T) {
	space := governed(t, "codes-long")
	var chain []*appsv1.ReplicaSet
	var above *appsv1.ReplicaSet
	for i := range 17 {
		above = link(t, space, fmt.Sprintf("hop-%d", i), above)
		chain = append(chain, above)
	}
	if got, no := tried(t, podOf(space, "long", replicaSetOwner(chain[15]))); no {
		t.Errorf("a chain of 16 owners: %+v", got)
	}
	refused(t, podOf(space, "longer", replicaSetOwner(chain[16])), ownerRefusal(409,
		"Pod codes-long/longer: the chain of owners is over the bound of 16 hops, 32 reads or 8 owners that do not control; "+
			"recreate it under an owner that exists, or without the owner reference"))
}

// link is a ReplicaSet without replicas under another, or under nothing.
func link(t *testing.T, in, name string, above *appsv1.ReplicaSet) *appsv1.ReplicaSet {
	t.Helper()
	w := workload{release: release{namespace: in}, name: name}
	set := w.replicaSet(0)
	set.Labels = nil
	if above != nil {
		set.OwnerReferences = []metav1.OwnerReference{replicaSetOwner(above)}
	}
	create(t, set)
	return set
}
