package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/cozystack/affinityclass/test/platform"
)

// audit reads the API server's audit log onwards from where it was opened: the
// whole of it grows too long to be read each time.
type audit struct{ offset int64 }

func openAudit(t *testing.T) *audit {
	t.Helper()
	info, err := os.Stat(cp.AuditLog())
	if err != nil {
		t.Fatal(err)
	}
	return &audit{offset: info.Size()}
}

// events are those since the log was opened whose line holds the text. A request
// that the server made for a review stands before the request reviewed.
func (a *audit) events(t *testing.T, text string) []auditv1.Event {
	t.Helper()
	log, err := os.Open(cp.AuditLog())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.Seek(a.offset, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(log)
	if err != nil {
		t.Fatal(err)
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1] // a line being written is not read
	var events []auditv1.Event
	for line := range bytes.Lines(content) {
		if !bytes.Contains(line, []byte(text)) {
			continue
		}
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("read the audit log: %v", err)
		}
		events = append(events, event)
	}
	return events
}

// reads counts the server's calls by path: all of them but its watches, its lease
// and the Events it makes. Discovery is the paths /api and /apis.
func (a *audit) reads(t *testing.T) map[string]int {
	t.Helper()
	reads := map[string]int{}
	for _, event := range a.events(t, platform.Account) {
		path, _, _ := strings.Cut(event.RequestURI, "?")
		written := event.ObjectRef != nil && (event.ObjectRef.Resource == "leases" || event.ObjectRef.Resource == "events")
		if event.User.Username == platform.Account && event.Verb != "watch" && !written {
			reads[path]++
		}
	}
	return reads
}

// within are the reads of objects of a namespace.
func within(reads map[string]int, namespace string) map[string]int {
	found := map[string]int{}
	for path, count := range reads {
		if strings.Contains(path, "/namespaces/"+namespace+"/") {
			found[path] = count
		}
	}
	return found
}

func total(reads map[string]int) int {
	sum := 0
	for _, count := range reads {
		sum += count
	}
	return sum
}

// reviewed are the creations of Pods in a namespace, each with the annotations
// that the review left, without their prefix.
func (a *audit) reviewed(t *testing.T, namespace string) []map[string]string {
	t.Helper()
	return a.notes(t, namespace, "create")
}

// notes are the requests of a verb for Pods of a namespace, as reviewed has them.
func (a *audit) notes(t *testing.T, namespace, verb string) []map[string]string {
	t.Helper()
	var found []map[string]string
	for _, event := range a.events(t, `"namespace":"`+namespace+`"`) {
		ref := event.ObjectRef
		if event.Verb != verb || ref.Namespace != namespace || ref.Resource != "pods" || ref.Subresource != "" {
			continue
		}
		notes := map[string]string{}
		for key, value := range event.Annotations {
			if bare, ok := bareKey(key); ok {
				notes[bare] = value
			}
		}
		found = append(found, notes)
	}
	return found
}

// bareKey takes the name of a webhook that judges Pods, of any mode, off a key.
func bareKey(key string) (string, bool) {
	webhook, bare, ok := strings.Cut(key, ".affinity.cozystack.io/")
	return bare, ok && strings.HasPrefix(webhook, "validate-pod")
}
