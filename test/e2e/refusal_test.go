package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/webhook/review"
)

// refusal is what whoever creates a Pod is answered.
type refusal struct {
	Code    int32
	Reason  metav1.StatusReason
	Causes  []metav1.CauseType // beside those that say what the answer rests on
	Message string             // without the API server's words before it
}

const deniedBy = `admission webhook "validate-pod.affinity.cozystack.io" denied the request: `

// tried is the answer to the creation of a Pod, as a dry run; false when it is
// let in.
func tried(t *testing.T, pod *corev1.Pod) (refusal, bool) {
	t.Helper()
	err := world.Client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
	if err == nil {
		return refusal{}, false
	}
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		t.Fatalf("create Pod %s: %v", pod.Name, err)
	}
	return refusalIn(t, answer.Status()), true
}

func refusalIn(t *testing.T, status metav1.Status) refusal {
	t.Helper()
	message, ours := strings.CutPrefix(status.Message, deniedBy)
	if !ours || status.Details == nil {
		t.Fatalf("not an answer of the webhook: %+v", status)
	}
	if status.Details.RetryAfterSeconds != 0 {
		t.Errorf("the answer says to come back after %d s", status.Details.RetryAfterSeconds)
	}
	grounds := []metav1.CauseType{review.CauseOfClass, review.CauseOfRelease, review.CauseOfLineage}
	r := refusal{Code: status.Code, Reason: status.Reason, Message: message}
	for _, cause := range status.Details.Causes {
		if cause.Message == "" {
			t.Errorf("cause %s says nothing", cause.Type)
		}
		if !slices.Contains(grounds, cause.Type) {
			r.Causes = append(r.Causes, cause.Type)
		}
	}
	return r
}

func refused(t *testing.T, pod *corev1.Pod, want refusal) {
	t.Helper()
	got, ok := tried(t, pod)
	if !ok {
		t.Fatalf("Pod %s was let in, wanted %+v", pod.Name, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Pod %s, wanted (-), got (+):\n%s", pod.Name, diff)
	}
	said, line := shown(t, pod), fmt.Sprintf(`Error from server (%s): error when creating "STDIN": %s%s`, want.Reason, deniedBy, want.Message)
	if said != line+"\n" {
		t.Errorf("kubectl says\n%swanted\n%s", said, line)
	}
}

// shown is what kubectl says to whoever would create the Pod.
func shown(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	_, said, _ := kubectl(t, manifest(t, pod.DeepCopy()), "create", "--dry-run=server", "-f", "-")
	return said
}

// admitted waits until a Pod is let in: what has changed for it may reach the
// server a moment later.
func admitted(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eventually(t, func() error { return world.Client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll) })
}

// awaitAnswer waits until a Pod is refused in these words; it serves clean-ups too.
func awaitAnswer(t *testing.T, pod *corev1.Pod, words string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	eventually(t, func() error {
		err := world.Client.Create(ctx, pod.DeepCopy(), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), words) {
			return fmt.Errorf("the Pod is answered %v, wanted %q", err, words)
		}
		return nil
	})
}
