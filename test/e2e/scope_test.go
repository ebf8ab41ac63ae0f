package e2e_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// What must never be held up is not asked about, whoever labels its namespace.
func TestNothingIsJudgedWhereTheSystemLives(t *testing.T) {
	label(t, metav1.NamespaceSystem)
	label(t, platform.Namespace)
	namespace(t, "plain", nil)
	namespace(t, "addon", map[string]string{enforce: "deny", "cozystack.io/system": "true"})
	governed(t, "asked") // the last: when it is in force, so are the labels before it
	log := openAudit(t)
	eventually(t, func() error {
		if err := tryBroken(t, "asked"); !apierrors.IsConflict(err) {
			return fmt.Errorf("a Pod with a broken owner in a governed namespace: %v", err)
		}
		return nil
	})
	spaces := []string{metav1.NamespaceSystem, platform.Namespace, "plain", "addon"}
	for _, space := range spaces {
		if err := tryBroken(t, space); err != nil {
			t.Errorf("a Pod with a broken owner in %s: %v", space, err)
		}
	}
	for _, space := range spaces {
		reviewed := log.reviewed(t, space)
		if len(reviewed) == 0 {
			t.Errorf("the audit log knows of no Pod in %s", space)
		}
		for _, notes := range reviewed {
			if len(notes) > 0 {
				t.Errorf("a Pod in %s was judged: %v", space, notes)
			}
		}
	}
}

// tryBroken creates, as a dry run, a Pod whose owner does not exist.
func tryBroken(t *testing.T, in string) error {
	t.Helper()
	pod := podOf(in, "broken", owner("apps/v1", "ReplicaSet", "gone", "gone"))
	return world.Client.Create(t.Context(), pod, client.DryRunAll)
}

// label sets the label that enforces, and takes it off again after the test.
func label(t *testing.T, name string) {
	t.Helper()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	set := func(value string) {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"`+enforce+`":`+value+`}}}`))
		if err := world.Client.Patch(context.WithoutCancel(t.Context()), space, patch); err != nil {
			t.Error(err)
		}
	}
	set(`"deny"`)
	t.Cleanup(func() { set("null") })
}
