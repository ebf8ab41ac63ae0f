package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events of one server are written in the order of its refusals: when the second
// refusal has its Event, the dry run before it would have had one too.
func TestADryRunIsJudgedAndLeavesNoEvent(t *testing.T) {
	space := governed(t, "rehearsal")
	w := deploy(t, release{space, "play", "dc1"})
	rehearsed, played := w.pod(), w.pod()
	rehearsed.Name, played.Name = "rehearsed", "played"
	log := openAudit(t)

	_, problems, err := kubectl(t, manifest(t, rehearsed), "create", "--dry-run=server", "-f", "-")
	if err == nil || !strings.Contains(problems, "Pod rehearsal/rehearsed (Bucket play)") {
		t.Errorf("kubectl create --dry-run=server: %v\n%s", err, problems)
	}
	if got := reasonOf(log.reviewed(t, space)); got != "ContractBroken" {
		t.Errorf("the dry run was judged %q", got)
	}
	if err := world.Client.Create(t.Context(), played); !apierrors.IsForbidden(err) {
		t.Fatalf("a Pod that breaks the contract: %v", err)
	}
	awaitEvent(t, space, func(e *corev1.Event) bool { return strings.Contains(e.Message, "rehearsal/played") })
	for _, event := range eventsIn(t, space) {
		if strings.Contains(event.Message, "rehearsal/rehearsed") {
			t.Errorf("the dry run left an Event: %s", event.Message)
		}
	}
}

// manifest is what a user would write into a file.
func manifest(t *testing.T, object client.Object) string {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		t.Fatal(err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
