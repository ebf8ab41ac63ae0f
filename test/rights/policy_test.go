package rights_test

import (
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// typeChecked waits for what the control plane says of our admission policies, whose
// expressions are to fit the kinds that they are about. That it looks at these kinds
// is seen by a policy that does not fit.
func typeChecked(t *testing.T, world *platform.Platform) {
	t.Helper()
	var ours admissionv1.ValidatingAdmissionPolicyList
	if err := world.Client.List(t.Context(), &ours, client.MatchingLabels{"app.kubernetes.io/name": "affinity-webhook"}); err != nil {
		t.Fatal(err)
	}
	if len(ours.Items) == 0 {
		t.Fatal("no admission policy of ours is there")
	}
	for _, policy := range ours.Items {
		if warnings := warningsOf(t, world, policy.Name); len(warnings) > 0 {
			t.Errorf("the expressions of ValidatingAdmissionPolicy %s do not fit: %v", policy.Name, warnings)
		}
		unfit := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: policy.Name + "-unfit"}}
		unfit.Spec.MatchConstraints = policy.Spec.MatchConstraints
		unfit.Spec.Validations = []admissionv1.Validation{{Expression: "object.spec.noSuchField == 'x'"}}
		if err := world.Client.Create(t.Context(), unfit); err != nil {
			t.Fatal(err)
		}
		if warnings := fmt.Sprint(warningsOf(t, world, unfit.Name)); !strings.Contains(warnings, "undefined field 'noSuchField'") {
			t.Errorf("expressions like those of %s are not looked at: %s", policy.Name, warnings)
		}
	}
}

func warningsOf(t *testing.T, world *platform.Platform, name string) []admissionv1.ExpressionWarning {
	t.Helper()
	var policy admissionv1.ValidatingAdmissionPolicy
	await(t, func() error {
		if err := world.Client.Get(t.Context(), client.ObjectKey{Name: name}, &policy); err != nil {
			return err
		}
		if policy.Status.TypeChecking == nil || policy.Status.ObservedGeneration != policy.Generation {
			return fmt.Errorf("ValidatingAdmissionPolicy %s has not been type-checked", name)
		}
		return nil
	})
	return policy.Status.TypeChecking.ExpressionWarnings
}
