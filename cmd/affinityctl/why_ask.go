package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chain"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/judge"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/why"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook/review"
)

// asker asks a cluster why.
type asker struct {
	ctx       context.Context
	stdin     io.Reader
	cluster   *live.Cluster
	lineage   *cluster.Reader
	judges    map[string]*judge.Judge // by namespace
	state     review.State            // nil of what exists
	mode      policy.Mode
	namespace string
}

func (o *whyOptions) asker(cmd *cobra.Command) (*asker, error) {
	found, err := o.connect()
	if err != nil {
		return nil, err
	}
	reads, err := found.Lineage(nil)
	if err != nil {
		return nil, unread(err)
	}
	return &asker{
		ctx: cmd.Context(), stdin: cmd.InOrStdin(), cluster: found, lineage: reads,
		judges: map[string]*judge.Judge{}, mode: policy.Mode(o.mode), namespace: o.namespace,
	}, nil
}

// judgeOf reads the policies of a namespace once.
func (a *asker) judgeOf(namespace string) (*judge.Judge, error) {
	if known := a.judges[namespace]; known != nil {
		return known, nil
	}
	policies, err := a.cluster.Policies(a.ctx, namespace)
	if err != nil {
		return nil, unread(fmt.Errorf("could not tell: %w", err))
	}
	begin := func(in string) review.Reads { return a.lineage.Begin(in) }
	a.judges[namespace] = judge.New(policies, begin, a.mode, a.state)
	return a.judges[namespace], nil
}

// stored judges an object of the cluster.
func (a *asker) stored(report *why.Report, arg string) error {
	asked, err := parseNamed(arg)
	if err != nil {
		return badQuestion(err)
	}
	kind, _, err := a.cluster.Kind(asked.kind)
	if err != nil {
		return noKind(err)
	}
	object, err := a.cluster.Object(a.ctx, kind, a.namespace, asked.name)
	if apierrors.IsNotFound(err) {
		return exit{code: exitNo, err: fmt.Errorf("%s not found in namespace %s", asked, a.namespace)}
	}
	if err != nil {
		return unread(fmt.Errorf("could not tell: %w", err))
	}
	name := chain.Object{Group: kind.Group, Kind: kind.Kind, Namespace: a.namespace, Name: asked.name}
	if err := a.judge(report, name, object); err != nil {
		return fromKind(err, asked.String())
	}
	last := &report.Items[len(report.Items)-1]
	last.Scheduling, last.Next = a.scheduling(kind.GroupKind(), object)
	return nil
}

// planned judges the objects of files.
func (a *asker) planned(report *why.Report, o *whyOptions) error {
	if err := input.Once(o.files...); err != nil {
		return badQuestion(err)
	}
	a.state = live.State{Cluster: a.cluster}
	source := input.Source{Stdin: a.stdin, Namespace: a.namespace, Recursive: o.recursive}
	documents, err := source.Read(o.files)
	if err != nil {
		return badQuestion(err)
	}
	for i := range documents {
		d := &documents[i]
		name := chain.Object{Group: d.Object.Group, Kind: d.Object.Kind, Namespace: d.Object.Namespace, Name: d.Object.Name}
		err := a.judge(report, name, d.JSON)
		switch {
		case errors.Is(err, judge.ErrNoPod):
			report.Notes = append(report.Notes, fmt.Sprintf("not judged: %s, %s", d.Object, judge.ErrNoPod))
		case isExit(err):
			return err
		case err != nil:
			return badQuestion(&manifest.Error{File: d.File, Index: d.Index, Line: d.Line, Err: err})
		}
	}
	if len(report.Items) == 0 {
		return badQuestion(errors.New("nothing to judge: no Pod and no workload in the files"))
	}
	return nil
}

// judge adds the answer about one object.
func (a *asker) judge(report *why.Report, name chain.Object, object []byte) error {
	j, err := a.judgeOf(name.Namespace)
	if err != nil {
		return err
	}
	request, err := j.Request(schema.GroupKind{Group: name.Group, Kind: name.Kind}, name.Namespace, object)
	if err != nil {
		return err
	}
	v := j.Verdict(a.ctx, request)
	item := why.Of(name, request, &v)
	_, item.Governed = j.Mode(name.Namespace)
	item.Selector = j.Policies().Selector(v.Facts.Class)
	item.Object.Name = cmp.Or(name.Name, v.Facts.Subject.Name)
	if request.Template == nil {
		item.Relabel(j.Labels(a.ctx, request))
	}
	start := subjectOf(request)
	item.Lineage = chain.New(start, lineage.Trace(a.ctx, start, a.lineage.Begin(name.Namespace)))
	report.Items = append(report.Items, item)
	if len(report.Items) == 1 {
		report.Notes = append(report.Notes, j.Notes()...)
	}
	return nil
}

// subjectOf is the object that a walk starts from.
func subjectOf(request *review.Request) *lineage.Object {
	if request.Template != nil {
		return request.Template.Owner
	}
	m := &request.Pod.Metadata
	return &lineage.Object{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: request.Namespace, Name: cmp.Or(m.Name, m.GenerateName+"*"),
		UID: m.UID, Labels: m.Labels, Annotations: m.Annotations, Owners: m.OwnerReferences}
}

func isExit(err error) bool {
	var end exit
	return errors.As(err, &end)
}

// fromKind says of what kind the object is that has no Pod.
func fromKind(err error, asked string) error {
	if isExit(err) {
		return err
	}
	if errors.Is(err, judge.ErrNoPod) {
		err = fmt.Errorf("%w; see affinityctl lineage %s, or why of its Pods or workloads", err, asked)
	}
	return badQuestion(fmt.Errorf("%s: %w", asked, err))
}
