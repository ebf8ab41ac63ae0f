package v1alpha1

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxAllowedClasses bounds a Tenant's list, here and in the schema.
const MaxAllowedClasses = 256

// The words of each rule, the same in the CustomResourceDefinition.
const (
	nameRule    = "the name must be a DNS label without dashes: with them, two tenants could have one namespace"
	classRule   = "every class must be the name of an AffinityClass: a DNS label of at most 63 characters"
	defaultRule = "the default must be the name of an AffinityClass: a DNS label of at most 63 characters"
)

// Validate says which rules a Tenant breaks, in the order of its fields; none
// means that the API server would store it. Whether its classes exist, and what
// the tenants above it allow, is not its form's to say.
func Validate(tenant *Tenant) field.ErrorList {
	var errs field.ErrorList
	if !isName(tenant.Name) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), tenant.Name, nameRule))
	}
	path, spec := field.NewPath("spec"), &tenant.Spec
	errs = append(errs, validateClasses(spec.AllowedAffinityClasses, path.Child("allowedAffinityClasses"))...)
	if spec.DefaultAffinityClass != "" && !isClass(spec.DefaultAffinityClass) {
		errs = append(errs, field.Invalid(path.Child("defaultAffinityClass"), spec.DefaultAffinityClass, defaultRule))
	}
	return errs
}

func validateClasses(names []string, path *field.Path) field.ErrorList {
	if len(names) > MaxAllowedClasses {
		return field.ErrorList{field.TooMany(path, len(names), MaxAllowedClasses)}
	}
	var errs field.ErrorList
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			errs = append(errs, field.Duplicate(path.Index(i), name))
		}
		if !isClass(name) {
			errs = append(errs, field.Invalid(path, name, classRule))
		}
	}
	return errs
}

// isName says whether a Tenant may be called so.
func isName(name string) bool {
	return len(validation.IsDNS1123Label(name)) == 0 && !strings.Contains(name, "-")
}

func isClass(name string) bool {
	return len(validation.IsDNS1123Label(name)) == 0
}
