package lineage

import "strings"

// Releases lists the releases of the chain that deploy to this cluster, in
// chain order: the one nearest to the object first, Release last.
func (r Resolved) Releases() []*Object {
	var releases []*Object
	for _, hop := range r.Chain {
		if hop.Object != nil && hop.Object.deploysHere() {
			releases = append(releases, hop.Object)
		}
	}
	return releases
}

// deploysHere reports whether the object is a release of this cluster.
func (o *Object) deploysHere() bool { return o.Release != nil && !o.Release.Remote }

// String says kind, namespace and name: "Pod shop/web-7c", "Node a".
func (o *Object) String() string { return describe(o.Kind, o.Namespace, o.Name) }

// String says kind, namespace and name: "ReplicaSet shop/web-7c".
func (r Ref) String() string { return describe(r.Kind, r.Namespace, r.Name) }

// describe copes with a Pod that has no name yet (generateName).
func describe(kind, namespace, name string) string {
	switch {
	case name == "":
		return "new " + kind + " in " + namespace
	case namespace == "":
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// ChainString writes a chain as messages show it:
// "Pod shop/web-7c < ReplicaSet web-7c < Deployment web < HelmRelease shop/web".
// The namespace is left out where it is that of the hop before, except for a
// release, which a reader will want to look up.
func ChainString(chain []Hop) string {
	var text strings.Builder
	namespace := ""
	for i, hop := range chain {
		ref := hop.Ref
		if hop.Object != nil {
			ref = hop.Object.ref()
		}
		if i > 0 {
			text.WriteString(" < ")
		}
		if i > 0 && ref.Namespace == namespace && ref.GroupKind != HelmRelease {
			text.WriteString(describe(ref.Kind, "", ref.Name))
		} else {
			text.WriteString(ref.String())
		}
		namespace = ref.Namespace
	}
	return text.String()
}

func (o *Object) ref() Ref {
	return Ref{GroupKind: o.GroupKind, Namespace: o.Namespace, Name: o.Name, UID: o.UID}
}
