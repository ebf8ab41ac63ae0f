// Package check judges every Pod and Pod template of a set of manifests by the
// production decision, package webhook/review.
//
// It turns documents into requests and verdicts into results; it reads no file
// and writes no output.
package check

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/workload"
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
	reviewer := review.New(review.Files(manifest.NewIndex(known...)), review.Fixed{Policy: policy.New(classes...)},
		review.Options{Class: in.Class})
	report := &Report{Results: []Result{}}
	for i := range in.Documents {
		document := &in.Documents[i]
		request, ok, err := requestOf(document)
		if err != nil {
			return nil, err
		}
		if ok {
			verdict := reviewer.Pod(ctx, request)
			report.add(document, request, &verdict)
		}
	}
	return report, nil
}

// readClasses decodes every AffinityClass strictly: a field that is not known
// here might change what the class means.
func readClasses(documents []manifest.Document) ([]*v1alpha1.AffinityClass, error) {
	kind := v1alpha1.GroupVersion.WithKind("AffinityClass")
	var classes []*v1alpha1.AffinityClass
	for i := range documents {
		document := &documents[i]
		if document.Object.GroupKind != kind.GroupKind() {
			continue
		}
		if document.APIVersion != kind.GroupVersion().String() {
			return nil, at(document, fmt.Errorf("AffinityClass of %s is not known here; use %s", document.APIVersion, kind.GroupVersion()))
		}
		class := &v1alpha1.AffinityClass{}
		problems, err := kjson.UnmarshalStrict(document.JSON, class)
		if err == nil && len(problems) > 0 {
			err = problems[0]
		}
		if err != nil {
			return nil, at(document, fmt.Errorf("AffinityClass %s: %w", document.Object.Name, err))
		}
		classes = append(classes, class)
	}
	return classes, nil
}

var pod = schema.GroupKind{Kind: "Pod"}

// requestOf is the request that admission would see for the Pod, or for a Pod of
// the template; false for an object that makes none.
func requestOf(document *manifest.Document) (*review.Request, bool, error) {
	request := &review.Request{Namespace: document.Object.Namespace}
	text := document.JSON
	if document.Object.GroupKind != pod {
		template, ok, err := workload.Find(document.Object.GroupKind, document.JSON)
		if err != nil {
			return nil, false, at(document, err)
		}
		if !ok {
			return nil, false, nil
		}
		text = template.JSON
		request.Template = &review.Template{Owner: document.Object, Path: template.Path}
	}
	if err := json.Unmarshal(text, &request.Pod); err != nil {
		return nil, false, at(document, fmt.Errorf("%s: %w", document.Object, err))
	}
	return request, true, nil
}

func at(document *manifest.Document, err error) error {
	return &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
}
