package e2e_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook/review"
)

// The schema of the kind refuses such a class first; where it is an older one,
// the webhook does, and one that is stored all the same holds no Pod.
func TestAClassThatNamesNoNodesIsRefusedAndHoldsNoPod(t *testing.T) {
	loosen(t)
	space := governed(t, "codes-policy")
	empty := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}
	const message = "AffinityClass empty: spec: Required value: at least one of nodeSelector and nodeSelectorTerms is required"
	var err error
	eventually(t, func() error {
		if err = world.Client.Create(t.Context(), empty.DeepCopy(), client.DryRunAll); apierrors.IsInvalid(err) {
			return err // by the schema still
		}
		return nil
	})
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || answer.Status().Code != 400 || answer.Status().Reason != metav1.StatusReasonBadRequest || answer.Status().Message != deniedClass+message {
		t.Fatalf("the class is answered %v, wanted 400 %s", err, message)
	}
	if causes := answer.Status().Details.Causes; len(causes) != 1 || causes[0].Type != metav1.CauseTypeFieldValueRequired || causes[0].Field != "spec" {
		t.Errorf("the causes are %+v", causes)
	}
	_, said, _ := kubectl(t, manifest(t, empty.DeepCopy()), "create", "-f", "-")
	if want := `Error from server (BadRequest): error when creating "STDIN": ` + deniedClass + message + "\n"; said != want {
		t.Errorf("kubectl says\n%swanted\n%s", said, want)
	}

	unasked(t, admissionregistrationv1.Update, admissionregistrationv1.Delete)
	eventually(t, func() error { return world.Client.Create(t.Context(), empty.DeepCopy(), client.DryRunAll) })
	establish(t, empty)
	refused(t, deploy(t, release{space, "web", "empty"}).pod(), refusal{403, metav1.StatusReasonForbidden, []metav1.CauseType{review.CauseClass},
		`Pod codes-policy/web (Bucket web): AffinityClass "empty" cannot hold a Pod: spec has neither nodeSelector nor nodeSelectorTerms; ` +
			`have the platform admin replace it, or name another class on the application`})
	awaitFinalizer(t, empty, true)
	following{"empty"}.until(t, "a release, and no selector", 0, 0, 1)
	if c := classNow(t, "empty").Status.Conditions; len(c) != 1 || c[0].Status != metav1.ConditionFalse || c[0].Reason != "ClassInvalid" {
		t.Errorf("the conditions are %+v", c)
	}
}

// loosen takes the rules off the schema's spec until the test ends.
func loosen(t *testing.T) {
	t.Helper()
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "affinityclasses.cozystack.io")
	set := func(ctx context.Context, change func(spec map[string]any)) {
		if err := world.Client.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
			t.Fatal(err)
		}
		versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
		if err != nil {
			t.Fatal(err)
		}
		properties := versions[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"].(map[string]any)
		change(properties["spec"].(map[string]any))
		if err := errors.Join(unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"), world.Client.Update(ctx, crd)); err != nil {
			t.Fatal(err)
		}
	}
	const rules = "x-kubernetes-validations"
	var kept any
	set(t.Context(), func(spec map[string]any) { kept = spec[rules]; delete(spec, rules) })
	t.Cleanup(func() {
		set(context.WithoutCancel(t.Context()), func(spec map[string]any) { spec[rules] = kept })
	})
}

func TestAClassThatMayNotBeReadIsTheAdminsToMend(t *testing.T) {
	space := governed(t, "codes-rights")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "affinity-webhook"}}
	if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(role), role); err != nil {
		t.Fatal(err)
	}
	whole := role.DeepCopy()
	for i := range role.Rules {
		if rule := &role.Rules[i]; slices.Contains(rule.Resources, "affinityclasses") {
			rule.Verbs = slices.DeleteFunc(rule.Verbs, func(verb string) bool { return verb == "get" })
		}
	}
	if err := world.Client.Update(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		role.Rules = whole.Rules
		if err := world.Client.Update(context.WithoutCancel(t.Context()), role); err != nil {
			t.Error(err)
		}
		awaitAnswer(t, pod, "requires nodeSelector")
	})
	awaitAnswer(t, pod, "may not be read")
	refused(t, pod, refusal{403, metav1.StatusReasonForbidden, []metav1.CauseType{review.CauseClass},
		"Pod codes-rights/web (Bucket web): its AffinityClass or Tenant may not be read by the affinity webhook; have the platform admin restore the webhook's ClusterRole"})
}
