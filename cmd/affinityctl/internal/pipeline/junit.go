package pipeline

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/webhook/review"
)

// The elements of the XML that Ant's and Maven's reports have, in the order and with
// the attributes that the stricter of the published schemas wants.
type (
	testSuites struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suites  []testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Package    string     `xml:"package,attr"`
		ID         int        `xml:"id,attr"`
		Name       string     `xml:"name,attr"`
		Timestamp  string     `xml:"timestamp,attr"`
		Hostname   string     `xml:"hostname,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Time       string     `xml:"time,attr"`
		Properties struct{}   `xml:"properties"`
		Cases      []testCase `xml:"testcase"`
		Out        string     `xml:"system-out"`
		Err        string     `xml:"system-err"`
	}
	testCase struct {
		Name      string   `xml:"name,attr"`
		Classname string   `xml:"classname,attr"`
		Time      string   `xml:"time,attr"`
		Skipped   *problem `xml:"skipped"`
		Error     *problem `xml:"error"`
		Failure   *problem `xml:"failure"`
	}
	problem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

const noTime = "0" // a verdict takes microseconds

// JUnit writes a suite for each file, a test for each Pod or Pod template and, where
// one breaks its contract, for each violation. What could not be told is an error;
// what nothing governs is skipped.
func JUnit(w io.Writer, report *check.Report, at time.Time) error {
	var all testSuites
	for i := range report.Results {
		result := &report.Results[i]
		all.suite(cmp.Or(result.Source.File, "input"), at).add(result)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// suite is that of the file: results stand in the order of the files.
func (t *testSuites) suite(file string, at time.Time) *testSuite {
	if n := len(t.Suites); n == 0 || t.Suites[n-1].Name != file {
		t.Suites = append(t.Suites, testSuite{
			Package: "affinityctl.check", ID: n, Name: file, Timestamp: at.UTC().Format("2006-01-02T15:04:05"), Hostname: "localhost", Time: noTime,
		})
	}
	return &t.Suites[len(t.Suites)-1]
}

func (s *testSuite) add(r *check.Result) {
	found := findings(r)
	if r.Verdict == review.Warned {
		for i := range found {
			s.Out += fmt.Sprintf("warning: %s\n", found[i].text)
		}
		found = nil
	}
	name := title(r)
	if r.Path != "" {
		name += " " + r.Path
	}
	if len(found) == 0 {
		s.pass(name, r)
	}
	for i := range found {
		s.fail(name, &found[i])
	}
}

func (s *testSuite) pass(name string, r *check.Result) {
	s.Tests++
	test := testCase{Name: name + ": " + string(r.Reason), Classname: s.Name, Time: noTime}
	if r.Verdict == review.NotGoverned {
		s.Skipped++
		test.Skipped = &problem{Message: "no AffinityClass governs it"}
	}
	s.Cases = append(s.Cases, test)
}

func (s *testSuite) fail(name string, f *finding) {
	s.Tests++
	test := testCase{Name: fmt.Sprintf("%s: %s", name, f.rule()), Classname: s.Name, Time: noTime}
	where := fmt.Sprintf("%s:%d", s.Name, f.result.Source.Line)
	told := &problem{Message: f.text, Type: f.rule(), Text: where + ": " + f.text}
	if f.result.Verdict == review.Unknown {
		s.Errors++
		test.Error = told
	} else {
		s.Failures++
		test.Failure = told
	}
	s.Cases = append(s.Cases, test)
}
