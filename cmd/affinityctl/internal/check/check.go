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

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
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
	policies, err := readPolicies(known, in.Class == "")
	if err != nil {
		return nil, err
	}
	c := &checker{
		reviewer: review.New(review.Files(manifest.NewIndex(known...)), review.Fixed{Policy: policies}, review.Options{
			Class: in.Class, Releases: releasesOf(known),
		}),
		policies: policies,
		report:   &Report{Results: []Result{}, Notes: notes(known)},
	}
	if err := c.complete(ctx, known); err != nil {
		return nil, err
	}
	for i := range in.Documents {
		if err := c.judge(ctx, &known[len(in.Context)+i]); err != nil {
			return nil, err
		}
	}
	return c.report, nil
}

// checker judges documents one after another.
type checker struct {
	reviewer *review.Reviewer
	policies *policy.Snapshot
	report   *Report
}

func (c *checker) judge(ctx context.Context, document *manifest.Document) error {
	if verdict, ok, err := c.ofAdmission(ctx, document); ok || err != nil {
		if err == nil {
			c.report.add(document, "", verdict)
		}
		return err
	}
	request, ok, err := requestOf(document)
	if err != nil || !ok {
		return err
	}
	namespace, _ := c.policies.Namespace(request.Namespace)
	request.Mode = namespace.Mode
	verdict := c.reviewer.Pod(ctx, request)
	path := ""
	if request.Template != nil {
		path = request.Template.Path
	}
	c.report.add(document, path, &verdict)
	return nil
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

var (
	pod           = schema.GroupKind{Kind: "Pod"}
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	classKind     = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityClass"}
	tenantKind    = schema.GroupKind{Group: tenantv1.GroupVersion.Group, Kind: "Tenant"}
	exemptionKind = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "AffinityExemption"}
)

// requestOf is the request that admission would see for the Pod, or for a Pod of
// the template; false for an object that makes none.
func requestOf(document *manifest.Document) (*review.Request, bool, error) {
	object := document.Object
	if object.GroupKind == pod {
		request, err := podRequest(document)
		return request, true, err
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

// podRequest is about the Pod with the terms of its binary value, which the server
// adds to it before it judges it.
func podRequest(document *manifest.Document) (*review.Request, error) {
	request := &review.Request{Namespace: document.Object.Namespace}
	if err := json.Unmarshal(document.JSON, &request.Pod); err != nil {
		return nil, at(document, fmt.Errorf("%s: %w", document.Object, err))
	}
	ops := review.Terms(request)
	if len(ops) == 0 {
		return request, nil
	}
	completed, err := applied(document, ops)
	if err != nil {
		return nil, err
	}
	request.Pod = review.Pod{}
	return request, json.Unmarshal(completed, &request.Pod)
}

func at(document *manifest.Document, err error) error {
	return &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
}
