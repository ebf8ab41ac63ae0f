package drain

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// Manifest writes the placeholder as kubectl applies it. There must be one.
func (r *Report) Manifest(w io.Writer) error {
	text, err := json.Marshal(r.audit.Placeholder)
	if err != nil {
		return err
	}
	var content map[string]any
	if err := json.Unmarshal(text, &content); err != nil {
		return err
	}
	delete(content, "status") // which only the cluster writes
	if text, err = yaml.Marshal(content); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "# Reserves room for the drain of %s, %s. Cordon the node before this is\n"+
		"# created, so that it does not land there, and delete it when the Pods leave.\n%s%s",
		r.Candidate, r.audit.Mode, r.comments(), text)
	return err
}

// comments are the notes, for whoever reads what is applied.
func (r *Report) comments() string {
	var b strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "# note: %s\n", note)
	}
	return b.String()
}

// HasManifest says whether something is reserved.
func (r *Report) HasManifest() bool { return r.audit.Placeholder != nil }
