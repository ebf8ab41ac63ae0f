package pipeline_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/pipeline"
	"github.com/cozystack/affinityclass/webhook/review"
)

// report has every kind of verdict, and names that have to be escaped.
func report() *check.Report {
	object := func(name string) check.Object {
		return check.Object{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: name}
	}
	at := func(file string, line, end int) check.Source {
		return check.Source{File: file, Document: 1, Line: line, End: end}
	}
	broken := func(key string) affinityclass.Violation {
		return affinityclass.Violation{Field: "spec.nodeSelector", Key: key, Want: "b", Message: "nodeSelector " + key + "=b is required, found <none> & \"nothing\""}
	}
	return &check.Report{Results: []check.Result{
		{Object: object("good"), Verdict: review.Allowed, Reason: review.ContractKept, Source: at("a b.yaml", 1, 4)},
		{Object: object("bad"), Class: "dc1", Verdict: review.Denied, Reason: review.ContractBroken, Code: 403, Source: at("a b.yaml", 6, 0),
			Violations: []affinityclass.Violation{broken("x"), broken("y")}, Mend: "include it"},
		{Object: object("free"), Verdict: review.NotGoverned, Reason: review.NoRelease, Source: at("c.yaml", 1, 1)},
		{Object: object("warned"), Verdict: review.Warned, Reason: review.ContractBroken, Source: at("c.yaml", 9, 12), Violations: []affinityclass.Violation{broken("x")}},
		{Object: object("odd"), Path: "spec.pods", Verdict: review.Unknown, Reason: check.NotChecked, Message: "not checked", Source: at("c.yaml", 14, 20)},
		{Object: object("lost"), Verdict: review.Denied, Reason: review.ClassNotFound, Message: "no class", Source: at("c.yaml", 22, 0)},
	}}
}

// The rules below are those of JUnit.xsd of the Windy Road JUnit-Schema, which is the
// strictest that is published.
func TestJUnitIsAsItsSchemaWants(t *testing.T) {
	var out bytes.Buffer
	if err := pipeline.JUnit(&out, report(), time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)); err != nil {
		t.Fatal(err)
	}
	type problem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
	var suites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Attrs   []xml.Attr `xml:",any,attr"`
		Suites  []struct {
			Attrs    []xml.Attr `xml:",any,attr"`
			Children []struct {
				XMLName  xml.Name
				Attrs    []xml.Attr `xml:",any,attr"`
				Problems []struct {
					XMLName xml.Name
					problem
				} `xml:",any"`
			} `xml:",any"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &suites); err != nil {
		t.Fatal(err)
	}
	if len(suites.Attrs) != 0 || len(suites.Suites) != 2 {
		t.Fatalf("%s", out.String())
	}
	for i, suite := range suites.Suites {
		attrs := attributes(suite.Attrs)
		for name, form := range map[string]string{"package": ".+", "id": strconv.Itoa(i), "name": ".+", "hostname": ".+", "time": `[\d.]+`,
			"timestamp": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`, "tests": `\d+`, "failures": `\d+`, "errors": `\d+`, "skipped": `\d+`} {
			if !regexp.MustCompile("^" + form + "$").MatchString(attrs[name]) {
				t.Errorf("suite %d: %s=%q", i, name, attrs[name])
			}
			delete(attrs, name)
		}
		if len(attrs) > 0 {
			t.Errorf("attributes that the schema has not: %v", attrs)
		}
		counted := map[string]int{}
		var order []string
		for _, child := range suite.Children {
			order = append(order, child.XMLName.Local)
			if child.XMLName.Local != "testcase" {
				continue
			}
			counted["tests"]++
			if got := attributes(child.Attrs); got["name"] == "" || got["classname"] == "" || got["time"] == "" || len(got) != 3 {
				t.Errorf("test %v", got)
			}
			if len(child.Problems) > 1 {
				t.Errorf("a test has %d outcomes", len(child.Problems))
			}
			for _, p := range child.Problems {
				counted[p.XMLName.Local]++
				if p.XMLName.Local != "skipped" && p.Type == "" || p.Message == "" {
					t.Errorf("%s of %q: %q", p.XMLName.Local, p.Type, p.Message)
				}
			}
		}
		if text := strings.Join(order, " "); !regexp.MustCompile("^properties( testcase)* system-out system-err$").MatchString(text) {
			t.Errorf("elements stand as %s", text)
		}
		own := attributes(suite.Attrs)
		want := map[string]string{"tests": own["tests"], "failures": own["failures"], "errors": own["errors"], "skipped": own["skipped"]}
		got := map[string]string{"tests": fmt.Sprint(counted["tests"]), "failures": fmt.Sprint(counted["failure"]), "errors": fmt.Sprint(counted["error"]), "skipped": fmt.Sprint(counted["skipped"])}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("announced (-), counted (+):\n%s", diff)
		}
	}
	if !strings.Contains(out.String(), "warning: Pod shop/warned") {
		t.Error("what is warned of is not said")
	}
}

func attributes(list []xml.Attr) map[string]string {
	found := map[string]string{}
	for _, a := range list {
		found[a.Name.Local] = a.Value
	}
	return found
}

// The rules below are those of the JSON schema of SARIF 2.1.0 for the parts that are
// written: what each must have, what it may have, and of which form.
func TestSARIFIsAsItsSchemaWants(t *testing.T) {
	var out bytes.Buffer
	if err := pipeline.SARIF(&out, report()); err != nil {
		t.Fatal(err)
	}
	var log any
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	text, uri := form("string", ".+"), form("string", `^[A-Za-z0-9._~:/?#%@!$&'()*+,;=-]+$`)
	line := form("number", `^[1-9]\d*$`)
	message := object(members{"text": text}, "text")
	rules := list(object(members{"id": text, "shortDescription": message, "helpUri": uri}, "id"))
	region := object(members{"startLine": line, "endLine": line}, "startLine")
	location := object(members{
		"physicalLocation": object(members{"artifactLocation": object(members{"uri": uri}), "region": region}),
		"logicalLocations": list(object(members{"fullyQualifiedName": text, "kind": text})),
	})
	result := object(members{"ruleId": text, "ruleIndex": form("number", `^\d+$`), "level": form("string", "^(none|note|warning|error)$"), "message": message, "locations": list(location)}, "message")
	run := object(members{
		"tool":        object(members{"driver": object(members{"name": text, "informationUri": uri, "rules": rules}, "name")}, "driver"),
		"invocations": list(object(members{"executionSuccessful": form("bool", "true")}, "executionSuccessful")),
		"results":     list(result),
	}, "tool")
	object(members{"$schema": uri, "version": form("string", `^2\.1\.0$`), "runs": list(run)}, "version", "runs")(t, "log", log)
}

func TestSARIFTellsOfEachViolation(t *testing.T) {
	var out bytes.Buffer
	if err := pipeline.SARIF(&out, report()); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range log.Runs[0].Results {
		if id := log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID; id != r.RuleID {
			t.Errorf("rule %d is %s, not %s", r.RuleIndex, id, r.RuleID)
		}
		at := r.Locations[0].PhysicalLocation
		got = append(got, fmt.Sprintf("%s %s %s %d-%d", r.Level, r.RuleID, at.ArtifactLocation.URI, at.Region.StartLine, at.Region.EndLine))
	}
	want := []string{
		"error ContractBroken/nodeSelector a%20b.yaml 6-0", "error ContractBroken/nodeSelector a%20b.yaml 6-0",
		"warning ContractBroken/nodeSelector c.yaml 9-12", "error NotChecked c.yaml 14-20", "error ClassNotFound c.yaml 22-0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}

// rule is what a value has to be.
type (
	rule    func(t *testing.T, path string, value any)
	members map[string]rule
)

func form(kind, pattern string) rule {
	expression := regexp.MustCompile(pattern)
	return func(t *testing.T, path string, value any) {
		t.Helper()
		got := fmt.Sprint(value)
		names := map[string]bool{"string": isA[string](value), "number": isA[float64](value), "bool": isA[bool](value)}
		if !names[kind] || !expression.MatchString(got) {
			t.Errorf("%s: %v is not a %s like %s", path, value, kind, pattern)
		}
	}
}

func isA[T any](value any) bool { _, ok := value.(T); return ok }

func object(may members, must ...string) rule {
	return func(t *testing.T, path string, value any) {
		t.Helper()
		fields, ok := value.(map[string]any)
		if !ok {
			t.Errorf("%s is not an object", path)
			return
		}
		for _, name := range must {
			if _, ok := fields[name]; !ok {
				t.Errorf("%s: %s is missing", path, name)
			}
		}
		for name, field := range fields {
			if may[name] == nil {
				t.Errorf("%s: %s is not allowed", path, name)
				continue
			}
			may[name](t, path+"."+name, field)
		}
	}
}

func list(of rule) rule {
	return func(t *testing.T, path string, value any) {
		t.Helper()
		elements, ok := value.([]any)
		if !ok {
			t.Errorf("%s is not a list", path)
		}
		for i, element := range elements {
			of(t, fmt.Sprintf("%s[%d]", path, i), element)
		}
	}
}
