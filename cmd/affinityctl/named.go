package main

import (
	"fmt"
	"strings"

	"github.com/cozystack/affinityclass/lineage"
)

// named is an object as a user names it: KIND/NAME.
type named struct{ kind, name string }

func parseNamed(arg string) (named, error) {
	kind, name, ok := strings.Cut(arg, "/")
	if !ok || kind == "" || name == "" || strings.Contains(name, "/") {
		return named{}, fmt.Errorf("%q is not KIND/NAME, such as pod/web-0 or deployment.apps/web", arg)
	}
	return named{kind, name}, nil
}

// is says whether an object of a file is meant. Files do not tell what kubectl would
// call a kind in short.
func (n named) is(object *lineage.Object) bool {
	kind, group, grouped := strings.Cut(strings.ToLower(n.kind), ".")
	own := strings.ToLower(object.Kind)
	plural := kind == own+"s" || kind == own+"es" || strings.HasSuffix(own, "y") && kind == strings.TrimSuffix(own, "y")+"ies"
	return object.Name == n.name && (kind == own || plural) && (!grouped || group == object.Group)
}

func (n named) String() string { return n.kind + "/" + n.name }
