package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/reconcile"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const deniedClass = `admission webhook "validate-affinityclass.affinity.cozystack.io" denied the request: `

func TestAClassInUseIsNotDeletedAndSaysByWhom(t *testing.T) {
	space := governed(t, "codes-delete")
	held := softer("held", v1alpha1.Deny)
	establish(t, held)
	deploy(t, release{space, "a", "held"})
	saidOfDeletion(t, held, "HelmRelease codes-delete/a", 1)
	for _, name := range []string{"g", "f", "e", "d", "c", "b"} {
		deploy(t, release{space, name, "held"})
	}
	saidOfDeletion(t, held, "HelmRelease codes-delete/a, HelmRelease codes-delete/b, HelmRelease codes-delete/c, "+
		"HelmRelease codes-delete/d, HelmRelease codes-delete/e and 2 more", 5)
}

// saidOfDeletion wants the same answer of a deletion and of its rehearsal.
func saidOfDeletion(t *testing.T, class *v1alpha1.AffinityClass, users string, causes int) {
	t.Helper()
	message := deniedClass + "AffinityClass held: it is in use by " + users + "; have them name another class first"
	for _, options := range [][]client.DeleteOption{nil, {client.DryRunAll}} {
		err := world.Client.Delete(t.Context(), class.DeepCopy(), options...)
		var answer apierrors.APIStatus
		if !apierrors.IsConflict(err) || !errors.As(err, &answer) || answer.Status().Code != 409 || answer.Status().Message != message {
			t.Errorf("the deletion is answered\n%v\nwanted 409\n%s", err, message)
			continue
		}
		if got := answer.Status().Details.Causes; len(got) != causes || got[0].Type != "Referrer" || got[0].Message != "HelmRelease codes-delete/a" {
			t.Errorf("the causes are %v, wanted %d", got, causes)
		}
	}
	for _, flags := range [][]string{nil, {"--dry-run=server"}} {
		_, said, err := kubectl(t, "", append([]string{"delete", "affinityclass", class.Name}, flags...)...)
		if want := "Error from server (Conflict): " + message + "\n"; err == nil || said != want {
			t.Errorf("kubectl delete %v says\n%s\nwanted\n%s", flags, said, want)
		}
	}
}

func TestTheFinalizerIsThereWhileAClassIsInUse(t *testing.T) {
	space := governed(t, "finalizer")
	held := softer("finalized", v1alpha1.Deny)
	establish(t, held)
	web := deploy(t, release{space, "web", held.Name})
	awaitFinalizer(t, held, true)
	remove(t, web.release.object())
	awaitFinalizer(t, held, false)
}

// The courtesy can be raced; the finalizer cannot.
func TestAClassDeletedWhileInUseIsHeldAndStillJudges(t *testing.T) {
	space := governed(t, "terminating")
	held := softer("terminated", v1alpha1.Deny)
	establish(t, held)
	web := deploy(t, release{space, "web", held.Name})
	awaitFinalizer(t, held, true)
	withoutCourtesy(t, held.Name)
	remove(t, held)
	if got := classNow(t, held.Name); got.DeletionTimestamp == nil {
		t.Fatal("the class is not being deleted")
	}
	if got, no := tried(t, web.pod()); !no || got.Code != 403 || !strings.Contains(got.Message, `AffinityClass "terminated" requires`) {
		t.Errorf("a Pod that breaks a terminating class: %+v", got)
	}
	if got, no := tried(t, web.inZone("dc1").pod()); no {
		t.Errorf("a Pod that keeps a terminating class: %+v", got)
	}
	if got := classNow(t, held.Name); !slices.Equal(got.Finalizers, []string{reconcile.InUse}) {
		t.Errorf("the finalizers are %v while a release names the class", got.Finalizers)
	}
	remove(t, web.release.object())
	gone(t, held)
}

// withoutCourtesy takes the deletion of classes from the webhook until the test
// ends, as if it had come just before the release.
func withoutCourtesy(t *testing.T, class string) {
	t.Helper()
	unasked(t, admissionregistrationv1.Create, admissionregistrationv1.Update)
	eventually(t, func() error { return world.Client.Delete(t.Context(), softer(class, ""), client.DryRunAll) })
}

// unasked leaves the webhook only these operations on classes until the test
// ends. The API server takes it up a moment later.
func unasked(t *testing.T, left ...admissionregistrationv1.OperationType) {
	t.Helper()
	judge := func(ctx context.Context, of ...admissionregistrationv1.OperationType) {
		config := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if err := world.Client.Get(ctx, client.ObjectKey{Name: "affinity-webhook"}, config); err != nil {
			t.Fatal(err)
		}
		for i := range config.Webhooks {
			if strings.HasPrefix(config.Webhooks[i].Name, "validate-affinityclass.") {
				config.Webhooks[i].Rules[0].Operations = of
			}
		}
		if err := world.Client.Update(ctx, config); err != nil {
			t.Fatal(err)
		}
	}
	judge(t.Context(), left...)
	t.Cleanup(func() {
		judge(context.WithoutCancel(t.Context()), admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete)
	})
}

func awaitFinalizer(t *testing.T, class *v1alpha1.AffinityClass, want bool) {
	t.Helper()
	eventually(t, func() error {
		if got := classNow(t, class.Name); slices.Contains(got.Finalizers, reconcile.InUse) != want {
			return fmt.Errorf("AffinityClass %s has the finalizers %v", class.Name, got.Finalizers)
		}
		return nil
	})
}

func classNow(t *testing.T, name string) *v1alpha1.AffinityClass {
	t.Helper()
	class := &v1alpha1.AffinityClass{}
	if err := world.Client.Get(t.Context(), client.ObjectKey{Name: name}, class); err != nil {
		t.Fatal(err)
	}
	return class
}
