package e2e_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/webhook/review"
)

// Another API server is put before the group of classes, and nobody is there.
//
// The API server is minutes behind in telling kubectl of the group again, so this
// comes after the tests whose kubectl asks for classes.
func TestAClassThatCannotBeReadNowIsAskedForAgain(t *testing.T) {
	space := governed(t, "codes-away")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	serve := func(ctx context.Context, managed, by string) {
		service := object("apiregistration.k8s.io/v1", "APIService", "", "v1alpha1.cozystack.io")
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"kube-aggregator.kubernetes.io/automanaged":%s}},"spec":{"insecureSkipTLSVerify":%t,"service":%s}}`,
			managed, by != "null", by)
		if err := world.Client.Patch(ctx, service, client.RawPatch("application/merge-patch+json", patch)); err != nil {
			t.Fatal(err)
		}
	}
	serve(t.Context(), "null", `{"namespace":"default","name":"nowhere","port":443}`)
	t.Cleanup(func() {
		serve(context.WithoutCancel(t.Context()), `"true"`, "null")
		awaitAnswer(t, pod, "requires nodeSelector")
	})
	awaitAnswer(t, pod, "could not be read now")
	refused(t, pod, refusal{503, metav1.StatusReasonServiceUnavailable, []metav1.CauseType{review.CauseClass},
		"Pod codes-away/web (Bucket web): its AffinityClass or Tenant could not be read now; this may say nothing about the Pod itself: try again"})
}
