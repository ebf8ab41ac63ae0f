package review

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Application is the part of an application of the platform that is judged: any kind
// whose spec may name a class.
type Application struct {
	Kind     string   `json:"kind"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		AffinityClass jsontext.Value `json:"affinityClass"`
	} `json:"spec"`
}

// ApplicationRequest is a change of an application: Object alone is a creation.
type ApplicationRequest struct {
	Namespace   string
	Object, Old *Application
	DryRun      bool
}

const applicationField = "spec.affinityClass"

// Application judges the class that an application names as the release which is to be
// made of it will be judged, so that the person who asks is answered. It changes
// nothing, and an update that names the same class is not judged. A verdict of Denied
// was reached on live reads.
func (r *Reviewer) Application(ctx context.Context, req *ApplicationRequest) Verdict {
	wish := readClassName(applicationField, req.Object.Spec.AffinityClass)
	v := Verdict{Kind: Allowed, Reason: ClassPermitted, Facts: Facts{
		Subject: Subject{req.Object.Kind, req.Namespace, req.Object.Metadata.Name}, DryRun: req.DryRun,
	}}
	switch {
	case req.Old != nil && sameJSON(req.Old.Spec.AffinityClass, req.Object.Spec.AffinityClass):
		v.Reason = Unchanged
		return v
	case wish.class == "" && !wish.malformed():
		v.Kind, v.Reason = NotGoverned, NoClass
		return v
	}
	if d := r.wished(ctx, req.Namespace, &wish); d != nil {
		return d.refuse(v, req.Object.Kind+" "+req.Namespace+"/"+req.Object.Metadata.Name)
	}
	v.Facts.Class = wish.class
	return v
}

// wished says why a class that is named cannot be had in a namespace.
func (r *Reviewer) wished(ctx context.Context, namespace string, w *wish) *denial {
	if w.malformed() {
		return malformedWish(w)
	}
	policies, err := r.policies.Current(ctx, namespace)
	if err != nil {
		return policyUnread(err)
	}
	if usable(namespace, w, policies) == nil {
		return nil
	}
	if policies, err = r.policies.Live(ctx, namespace, []string{w.class}); err != nil {
		return policyUnread(err)
	}
	return usable(namespace, w, policies)
}
