package v1alpha1

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Root is the namespace of the topmost tenant, which is called RootName.
const (
	Root     = prefix + RootName
	RootName = "root"

	prefix = "tenant-"
)

// Namespace says which namespace the Tenant name in the namespace of its parent
// owns: web in tenant-acme owns tenant-acme-web, one in tenant-root is not named
// after it, and root in tenant-root owns tenant-root itself. A Tenant anywhere
// else, or with a name that none may have, owns none.
func Namespace(parent, name string) (string, bool) {
	if !isName(name) || Path(parent) == nil {
		return "", false
	}
	owned := parent + "-" + name
	if parent == Root {
		owned = prefix + name
	}
	if len(owned) > validation.DNS1123LabelMaxLength {
		return "", false
	}
	return owned, true
}

// Path lists the namespaces from the root's down to this one, whose Tenants all
// have a say here. It is nil for a namespace that no Tenant can own, such as
// tenant-root-web: those below the root are not named after it.
func Path(namespace string) []string {
	if namespace == Root {
		return []string{Root}
	}
	rest, ours := strings.CutPrefix(namespace, prefix)
	if !ours || len(namespace) > validation.DNS1123LabelMaxLength {
		return nil
	}
	names := strings.Split(rest, "-")
	if names[0] == RootName || slices.ContainsFunc(names, isNoName) {
		return nil
	}
	path, at := []string{Root}, strings.TrimSuffix(prefix, "-")
	for _, name := range names {
		at += "-" + name
		path = append(path, at)
	}
	return path
}

func isNoName(name string) bool { return !isName(name) }
