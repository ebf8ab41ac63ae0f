package pipeline

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/webhook/review"
)

// The parts of SARIF 2.1.0 that are written, by the names of its specification.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

const (
	home        = "https://github.com/cozystack/affinityclass"
	schema      = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifSemver = "2.1.0"
)

// SARIF writes a result for each violation, with the lines it stands in; the rules
// are the reasons of verdicts, and the fields of a Pod.
func SARIF(w io.Writer, report *check.Report) error {
	run := sarifRun{
		Tool:        sarifTool{Driver: sarifDriver{Name: "affinityctl", InformationURI: home, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}},
		Results:     []sarifResult{},
	}
	for i := range report.Results {
		found := findings(&report.Results[i])
		for n := range found {
			run.add(&found[n])
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{Schema: schema, Version: sarifSemver, Runs: []sarifRun{run}})
}

func (r *sarifRun) add(f *finding) {
	level := "error"
	if f.result.Verdict == review.Warned {
		level = "warning"
	}
	source := f.result.Source
	name := title(f.result)
	if f.field != "" {
		name += " " + f.field
	}
	r.Results = append(r.Results, sarifResult{
		RuleID: f.rule(), RuleIndex: r.rule(f), Level: level, Message: sarifText{f.text},
		Locations: []sarifLocation{{
			Physical: sarifPhysical{sarifArtifact{uriOf(source.File)}, sarifRegion{max(1, source.Line), source.End}},
			Logical:  []sarifLogical{{FullyQualifiedName: name, Kind: "resource"}},
		}},
	})
}

// rule is the index of the finding's rule, which is added when it is new.
func (r *sarifRun) rule(f *finding) int {
	rules := &r.Tool.Driver.Rules
	id := f.rule()
	for i := range *rules {
		if (*rules)[i].ID == id {
			return i
		}
	}
	*rules = append(*rules, sarifRule{ID: id, ShortDescription: sarifText{describe(f.result.Reason)}, HelpURI: helpFor(f.result)})
	return len(*rules) - 1
}

// helpFor is where the documents tell more of a result's reason.
func helpFor(r *check.Result) string {
	if r.Reason == check.NotChecked {
		return home + "/blob/main/docs/checking.md#kinds-that-are-not-known"
	}
	return fmt.Sprintf("%s/blob/main/docs/messages.md#%d-%s", home, r.Code, strings.ToLower(string(r.Reason)))
}

func describe(reason review.Reason) string {
	switch reason {
	case review.ContractBroken:
		return "A Pod may be placed on a node outside its AffinityClass."
	case review.FenceBroken:
		return "A Pod may be placed on a node outside the AffinityClasses of its tenant."
	case check.NotChecked:
		return "A kind seems to make Pods, and it is not known where they get their constraints from."
	default:
		return "The admission server would refuse it, or could not tell: " + string(reason) + "."
	}
}

// uriOf is a file as a URI: relative when its path is.
func uriOf(file string) string {
	return (&url.URL{Path: filepath.ToSlash(filepath.Clean(file))}).String()
}
