package binary

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

// Report lists the values that are written with weights.
type Report struct {
	Results    []Result  `json:"results"`
	Unreadable []Failure `json:"unreadable"`
	Summary    Summary   `json:"summary"`
	Namespace  string    `json:"namespace,omitempty"` // the one of a cluster that was read; empty for all, and for files
}

// Result is a weighted value and what it becomes.
type Result struct {
	Object  placement.Ref `json:"object"`
	Path    string        `json:"path"`
	Value   string        `json:"value"`
	Becomes string        `json:"becomes"`

	pod string
}

// Failure is a value, or an object, that cannot be read. It is passed over.
type Failure struct {
	Object  placement.Ref `json:"object"`
	Message string        `json:"message"`
}

// Summary counts values.
type Summary struct {
	Weighted   int `json:"weighted"`
	Binary     int `json:"binary"`
	Unreadable int `json:"unreadable"`
}

// NewReport is a report without results.
func NewReport() *Report { return &Report{Results: []Result{}, Unreadable: []Failure{}} }

// Add looks at one object.
func (r *Report) Add(ref placement.Ref, object []byte) {
	kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
	s, found, err := Find(kind, object)
	switch {
	case err != nil:
		r.Unreadable = append(r.Unreadable, Failure{ref, err.Error()})
		r.Summary.Unreadable++
	case !found:
	case s.Parsed.Weighted:
		r.Results = append(r.Results, Result{ref, s.Path, s.Value, s.Parsed.Value.String(), s.Pod})
		r.Summary.Weighted++
	default:
		r.Summary.Binary++
	}
}

// Sort orders by namespace, kind and name, for a list out of a cluster.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Results, func(a, b Result) int { return compare(a.Object, b.Object) })
	slices.SortStableFunc(r.Unreadable, func(a, b Failure) int { return compare(a.Object, b.Object) })
}

func compare(a, b placement.Ref) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var rows []output.Row
	for _, found := range r.Results {
		rows = append(rows, output.Row{Cells: []string{
			Name(found.Object), cmp.Or(found.pod, "-"), short(found.Value), short(found.Becomes)}})
	}
	if len(rows) > 0 {
		if err := output.Table(w, []string{"OBJECT", "TEMPLATE", "VALUE", "BECOMES"}, rows); err != nil {
			return err
		}
	}
	for _, failure := range r.Unreadable {
		fmt.Fprintf(w, "cannot be read: %s: %s\n", Name(failure.Object), failure.Message)
	}
	where := ""
	if r.Namespace != "" {
		where = fmt.Sprintf(" in namespace %s; -A asks all", r.Namespace)
	}
	_, err := fmt.Fprintf(w, "%d weighted, %d binary, %d unreadable%s\n", r.Summary.Weighted, r.Summary.Binary, r.Summary.Unreadable, where)
	return err
}

// Name is an object's name for people.
func Name(ref placement.Ref) string {
	if ref.Namespace == "" {
		return ref.Kind + " " + ref.Name
	}
	return ref.Kind + " " + ref.Namespace + "/" + ref.Name
}

// short cuts a value to what a table can bear; JSON has it whole.
func short(value string) string {
	const most = 80
	letters := []rune(value)
	if len(letters) <= most {
		return value
	}
	return string(letters[:most]) + "..."
}
