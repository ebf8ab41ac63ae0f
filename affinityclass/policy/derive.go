package policy

import (
	"slices"
	"strings"
)

// The annotations of a HelmRelease that have to do with its class.
const (
	// ClassAnnotation names the class where a chart's schema of values forbids
	// unknown keys. It is the only one of them that a user writes, with
	// InjectAnnotation.
	ClassAnnotation = "affinity.cozystack.io/class"
	// InjectAnnotation with the value "false" leaves the values alone.
	InjectAnnotation = "affinity.cozystack.io/inject-values"
	// SourceAnnotation says where the class came from: a Source.
	SourceAnnotation = "affinity.cozystack.io/class-source"
	// PreviousAnnotation lists the classes that the release had since it was last
	// ready, oldest first, joined by commas; NoneBefore stands for none.
	PreviousAnnotation = "affinity.cozystack.io/previous-class"
	// ResolveAnnotation is touched, with the time, to have a release derived anew.
	ResolveAnnotation = "affinity.cozystack.io/resolve"
)

// NoneBefore stands in PreviousAnnotation for a time without a class.
const NoneBefore = "-"

// Source says where a release's class came from.
type Source string

// The sources.
const (
	Explicit Source = "explicit" // named by the release
	Default  Source = "default"  // the tenant's, when the release was created
	Parent   Source = "parent"   // that of the release which this one is a part of
)

// Choice is what the class of a release is derived from.
type Choice struct {
	Named  string   // by the release; empty: none
	Remote bool     // the release deploys to another cluster
	Child  bool     // the release is a part of another one
	Parent string   // the class of that one; empty: none
	Before *Derived // of the stored release; nil at its creation
	// Settled says that the stored release was ready in its present form: what it had
	// before runs no more.
	Settled bool
	Default string // the tenant's effective one
}

// Derived is what admission sets on a release: never chosen by its writer.
type Derived struct {
	Class    string // empty: none
	Source   Source
	Previous []string // oldest first; see PreviousAnnotation
}

// Derive is the class of a release, by the rules of their order: the parent's, the
// named one, and at creation alone the tenant's default, which then stays. An
// unrelated edit moves nothing.
func Derive(c Choice) Derived {
	var d Derived
	switch {
	case c.Remote:
	case c.Child && c.Parent != "":
		d.Class, d.Source = c.Parent, Parent
	case c.Named != "":
		d.Class, d.Source = c.Named, Explicit
	case c.Before != nil && c.Before.Source == Default:
		d.Class, d.Source = c.Before.Class, Default
	case c.Before == nil && !c.Child:
		d.Class, d.Source = c.Default, Default
	}
	if d.Class == "" {
		d.Source = ""
	}
	d.Previous = previous(c, d.Class)
	return d
}

// maxPrevious bounds how many former classes are kept.
const maxPrevious = 8

// previous are the classes whose Pods may still run or come back, since what the
// label says runs ahead of what is rendered: a failed or suspended upgrade, a
// rollback, the time between. The oldest is what was last ready.
func previous(c Choice, class string) []string {
	if c.Before == nil || c.Remote {
		return nil
	}
	var list []string
	if !c.Settled {
		list = slices.Clone(c.Before.Previous)
	}
	if before := c.Before.mark(); c.Before.Class != class && !slices.Contains(list, before) {
		list = append(list, before)
	}
	list = slices.DeleteFunc(list, func(name string) bool { return name == class || name == NoneBefore && class == "" })
	if extra := len(list) - maxPrevious; extra > 0 {
		list = slices.Delete(list, 1, 1+extra)
	}
	return list
}

func (d *Derived) mark() string {
	if d.Class == "" {
		return NoneBefore
	}
	return d.Class
}

// ReadDerived is what a release bears, by its labels and annotations.
func ReadDerived(labels, annotations map[string]string) Derived {
	return Derived{
		Class: labels[ClassLabel], Source: Source(annotations[SourceAnnotation]),
		Previous: readPrevious(annotations),
	}
}

// readPrevious takes nothing from a list that admission would not have written: a
// release may have been stored where none was asked, and each name costs a proof.
func readPrevious(annotations map[string]string) []string {
	text := annotations[PreviousAnnotation]
	if text == "" || strings.Count(text, ",") >= maxPrevious {
		return nil
	}
	var list []string
	for _, name := range strings.Split(text, ",") {
		if (name == NoneBefore || MalformedName(name) == "") && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Annotations are those that stand for d.
func (d *Derived) Annotations() map[string]string {
	annotations := map[string]string{}
	if d.Source != "" {
		annotations[SourceAnnotation] = string(d.Source)
	}
	if len(d.Previous) > 0 {
		annotations[PreviousAnnotation] = strings.Join(d.Previous, ",")
	}
	return annotations
}
