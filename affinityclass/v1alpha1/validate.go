package v1alpha1

import (
	"maps"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The bounds of a class. They are also in the schema, where they keep the cost
// of its rules within what the API server accepts.
const (
	MaxNodeSelectorPairs = 16
	MaxDescriptionLength = 256
)

// The words of each rule, the same in the CustomResourceDefinition.
const (
	nameRule     = "the name must be a DNS label of at most 63 characters: it is copied into a label value"
	keyRule      = "every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	valueRule    = "every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	selectorRule = "nodeSelector is immutable: make a new class and move the applications to it"
)

// Validate says which rules a class breaks, in the order of its fields; none
// means that the API server would create it. An enforcementAction that is empty
// is taken as absent, which means Deny.
func Validate(class *AffinityClass) field.ErrorList {
	var errs field.ErrorList
	if len(validation.IsDNS1123Label(class.Name)) > 0 {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), class.Name, nameRule))
	}
	spec := field.NewPath("spec")
	errs = append(errs, validateNodeSelector(class.Spec.NodeSelector, spec.Child("nodeSelector"))...)
	if action := class.Spec.EnforcementAction; action != "" && action != Deny {
		errs = append(errs, field.NotSupported(spec.Child("enforcementAction"), action, []EnforcementAction{Deny}))
	}
	if utf8.RuneCountInString(class.Spec.Description) > MaxDescriptionLength {
		errs = append(errs, field.TooLong(spec.Child("description"), class.Spec.Description, MaxDescriptionLength))
	}
	return errs
}

// ValidateUpdate says which rules updated breaks, those of its change from old
// among them.
func ValidateUpdate(updated, old *AffinityClass) field.ErrorList {
	errs := Validate(updated)
	if !maps.Equal(updated.Spec.NodeSelector, old.Spec.NodeSelector) {
		path := field.NewPath("spec", "nodeSelector")
		errs = append(errs, field.Invalid(path, updated.Spec.NodeSelector, selectorRule))
	}
	return errs
}

func validateNodeSelector(selector map[string]string, path *field.Path) field.ErrorList {
	if len(selector) == 0 {
		return field.ErrorList{field.Required(path, "at least one label that every node of the class has")}
	}
	if len(selector) > MaxNodeSelectorPairs {
		return field.ErrorList{field.TooMany(path, len(selector), MaxNodeSelectorPairs)}
	}
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		if len(validation.IsQualifiedName(key)) > 0 {
			errs = append(errs, field.Invalid(path.Key(key), key, keyRule))
		}
		if len(validation.IsValidLabelValue(selector[key])) > 0 {
			errs = append(errs, field.Invalid(path.Key(key), selector[key], valueRule))
		}
	}
	return errs
}
