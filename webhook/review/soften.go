package review

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// The bounds of warnings: the API server cuts longer ones, and drops all when
// they are too many.
const (
	maxWarnings      = 8
	maxWarningLength = 256 // bytes
)

// soften turns the denial of a broken contract into what the class and the
// namespace make of it. A Pod with scheduling gates may still be completed: it is
// judged when the last one goes, and only warned about until then.
func (f *finding) soften(denial Verdict) Verdict {
	switch {
	case f.action == v1alpha1.Audit:
		denial.Kind, denial.Code = Allowed, 0
	case f.action == v1alpha1.Warn:
		denial.Kind, denial.Warnings = Warned, f.warnings(&denial)
	case f.request.gated():
		denial.Kind, denial.Code, denial.Reason, denial.Warnings = Allowed, 0, Gated, f.warnings(&denial)
	}
	return denial
}

// warnings says each violation in a warning of its own, since a whole message
// may be longer than one can be.
func (f *finding) warnings(v *Verdict) []string {
	if len(v.Violations) == 0 {
		return []string{clip(v.Message)}
	}
	warnings := make([]string, 0, len(v.Violations))
	for _, violation := range v.Violations {
		text := violationText(violation)
		if v.Reason == BinaryMalformed {
			text = f.binaryText(violation)
		}
		warnings = append(warnings, clip(f.title()+": "+text))
	}
	room := maxWarnings - len(f.notes())
	if more := len(warnings) - room; more > 0 {
		warnings = append(warnings[:room-1], fmt.Sprintf("and %d more", more+1))
	}
	return warnings
}

// clip shortens a text to what a warning may hold, at the end of a character.
func clip(text string) string {
	if len(text) <= maxWarningLength {
		return text
	}
	const ellipsis = "…"
	end := maxWarningLength - len(ellipsis)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end]) + ellipsis
}
