package controlplane

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// AuditLog is the path of the API server's audit log, written with
// Options.Audit.
func (cp *ControlPlane) AuditLog() string { return cp.path("audit.log") }

// AuditEvents are the requests answered so far, in the order of the log: who
// asked what, and the annotations that webhooks left. A request may get into the
// log a moment after its answer has reached the client.
func (cp *ControlPlane) AuditEvents() ([]auditv1.Event, error) {
	content, err := os.ReadFile(cp.AuditLog())
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1] // a line being written is not read
	var events []auditv1.Event
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for lines.Scan() {
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("read event %d of the audit log: %w", len(events), err)
		}
		events = append(events, event)
	}
	return events, lines.Err()
}
