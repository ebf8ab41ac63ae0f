package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/pipeline"
)

// The formats for pipelines.
const (
	junit output.Format = "junit"
	sarif output.Format = "sarif"
)

func (o *checkOptions) write(w io.Writer, report *check.Report) error {
	switch o.format.Format {
	case junit:
		return pipeline.JUnit(w, report, time.Now())
	case sarif:
		return pipeline.SARIF(w, report)
	case output.JSON, output.YAML:
		return output.Object(w, o.format.Format, report)
	}
	return writeText(w, output.Width(w), report)
}

// writeText writes the report for people, within a width if it is not 0.
func writeText(w io.Writer, width int, report *check.Report) error {
	rows := make([]output.Row, 0, len(report.Results))
	for _, result := range report.Results {
		rows = append(rows, row(result))
	}
	if len(rows) > 0 {
		if err := output.Fit(w, width, []string{"VERDICT", "CODE", "OBJECT", "CLASS", "RELEASE"}, rows); err != nil {
			return err
		}
	}
	for _, note := range report.Notes {
		fmt.Fprint(w, output.Wrap("note: "+note, width, 2))
	}
	s := report.Summary
	_, err := io.WriteString(w, output.Wrap(fmt.Sprintf("%d allowed, %d denied, %d warned, %d not governed, %d unknown",
		s.Allowed, s.Denied, s.Warned, s.NotGoverned, s.Unknown), width, 2))
	return err
}

func row(result check.Result) output.Row {
	code := "-"
	if result.Code != 0 {
		code = strconv.Itoa(int(result.Code))
	}
	object := result.Object.Kind + " " + result.Object.Name
	if result.Object.Namespace != "" {
		object = result.Object.Kind + " " + result.Object.Namespace + "/" + result.Object.Name
	}
	if result.Place != nil && result.Place.Custom {
		object += " " + result.Path // an operator makes Pods of several roles
	}
	note := result.Message
	if result.Mend != "" {
		note += fmt.Sprintf("\n  %s:%d-%d: %s", result.Source.File, result.Source.Line, result.Source.End, result.Mend)
	}
	return output.Row{
		Cells: []string{string(result.Verdict), code, object, cmp.Or(result.Class, "-"), cmp.Or(result.Release, "-")},
		Note:  note,
	}
}
