// Package check judges every Pod and Pod template of a set of manifests by the
// production decision, package webhook/review.
//
// It turns documents into requests and verdicts into results; it reads no file
// and writes no output.
package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Input is what a check works on.
type Input struct {
	Documents []manifest.Document // judged, in this order
	Context   []manifest.Document // known, never judged, never listed
	Class     string              // when set, it governs every Pod
}

// Run judges the input. An error says that the question was bad: an object that
// cannot be read, with its file, number and line.
func Run(ctx context.Context, in Input) (*Report, error) {
	known := append(append([]manifest.Document{}, in.Context...), in.Documents...)
	classes, err := readClasses(known)
	if err != nil {
		return nil, err
	}
	c := &checker{
		reviewer: review.New(review.Files(manifest.NewIndex(known...)), review.Fixed{Policy: policy.New(classes...)},
			review.Options{Class: in.Class}),
		modes:  modes(known),
		report: &Report{Results: []Result{}, Notes: notes(known)},
	}
	for i := range in.Documents {
		if err := c.judge(ctx, &in.Documents[i]); err != nil {
			return nil, err
		}
	}
	return c.report, nil
}

// checker judges documents one after another.
type checker struct {
	reviewer *review.Reviewer
	modes    map[string]policy.Mode
	report   *Report
}

func (c *checker) judge(ctx context.Context, document *manifest.Document) error {
	if document.Object.GroupKind == classKind {
		class, err := readClass(document)
		if err != nil {
			return err
		}
		verdict := c.reviewer.Class(ctx, &review.ClassRequest{Object: class})
		c.report.add(document, "", &verdict)
		return nil
	}
	request, ok, err := requestOf(document)
	if err != nil || !ok {
		return err
	}
	request.Mode = c.modes[request.Namespace]
	verdict := c.reviewer.Pod(ctx, request)
	path := ""
	if request.Template != nil {
		path = request.Template.Path
	}
	c.report.add(document, path, &verdict)
	return nil
}

// modes are those that Namespaces of the input give themselves; any other
// namespace is judged as strictly as there is.
func modes(documents []manifest.Document) map[string]policy.Mode {
	found := map[string]policy.Mode{}
	for i := range documents {
		object := documents[i].Object
		if mode, ok := (policy.Scope{}).ModeOf(object.Name, object.Labels); ok && object.GroupKind == namespaceKind {
			found[object.Name] = mode
		}
	}
	return found
}

// notes say what of the input was not applied.
func notes(documents []manifest.Document) []string {
	for i := range documents {
		if documents[i].Object.GroupKind == exemptionKind {
			return []string{"AffinityExemptions are not applied: they go by who creates a Pod, which files do not tell"}
		}
	}
	return nil
}

// readClasses reads every AffinityClass of the documents.
func readClasses(documents []manifest.Document) ([]*v1alpha1.AffinityClass, error) {
	var classes []*v1alpha1.AffinityClass
	for i := range documents {
		if documents[i].Object.GroupKind != classKind {
			continue
		}
		class, err := readClass(&documents[i])
		if err != nil {
			return nil, err
		}
		classes = append(classes, class)
	}
	return classes, nil
}

// readClass decodes strictly: a field that is not known here might change what
// the class means.
func readClass(document *manifest.Document) (*v1alpha1.AffinityClass, error) {
	if document.APIVersion != v1alpha1.GroupVersion.String() {
		return nil, at(document, fmt.Errorf("AffinityClass of %s is not known here; use %s", document.APIVersion, v1alpha1.GroupVersion))
	}
	class := &v1alpha1.AffinityClass{}
	problems, err := kjson.UnmarshalStrict(document.JSON, class)
	if err == nil && len(problems) > 0 {
		err = problems[0]
	}
	if err != nil {
		return nil, at(document, fmt.Errorf("AffinityClass %s: %w", document.Object.Name, err))
	}
	return class, nil
}

var (
	pod           = schema.GroupKind{Kind: "Pod"}
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	classKind     = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityClass"}
	exemptionKind = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityExemption"}
)

// requestOf is the request that admission would see for the Pod, or for a Pod of
// the template; false for an object that makes none.
func requestOf(document *manifest.Document) (*review.Request, bool, error) {
	object := document.Object
	if object.GroupKind == pod {
		request := &review.Request{Namespace: object.Namespace}
		if err := json.Unmarshal(document.JSON, &request.Pod); err != nil {
			return nil, false, at(document, fmt.Errorf("%s: %w", object, err))
		}
		return request, true, nil
	}
	request, err := review.NewTemplate(object.Namespace, object.Group, document.JSON)
	switch {
	case errors.Is(err, review.ErrNoTemplate):
		return nil, false, nil
	case err != nil:
		return nil, false, at(document, err)
	}
	return request, true, nil
}

func at(document *manifest.Document, err error) error {
	return &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
}
