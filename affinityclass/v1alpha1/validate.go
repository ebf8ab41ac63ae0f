package v1alpha1

import (
	"maps"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate says which rules a class breaks, in the order of its fields; none
// means that the API server would create it. A field that is empty is taken as
// absent: an enforcementAction then means Deny.
func Validate(class *AffinityClass) field.ErrorList {
	var errs field.ErrorList
	if len(validation.IsDNS1123Label(class.Name)) > 0 {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), class.Name, nameRule))
	}
	path, spec := field.NewPath("spec"), &class.Spec
	if len(spec.NodeSelector) == 0 && len(spec.NodeSelectorTerms) == 0 {
		errs = append(errs, field.Required(path, contractRule))
	}
	errs = append(errs, validatePairs(spec.NodeSelector, path.Child("nodeSelector"))...)
	errs = append(errs, validateTerms(spec.NodeSelectorTerms, path.Child("nodeSelectorTerms"))...)
	errs = append(errs, validateTolerations(spec.Tolerations, path.Child("tolerations"))...)
	if spec.EnforcementAction != "" {
		errs = append(errs, oneOf(path.Child("enforcementAction"), spec.EnforcementAction, Deny, Warn, Audit)...)
	}
	return append(errs, atMost(path.Child("description"), spec.Description, MaxDescriptionLength)...)
}

// ValidateUpdate says which rules updated breaks, those of its change from old
// among them.
func ValidateUpdate(updated, old *AffinityClass) field.ErrorList {
	errs := Validate(updated)
	path := field.NewPath("spec")
	if !maps.Equal(updated.Spec.NodeSelector, old.Spec.NodeSelector) {
		errs = append(errs, field.Invalid(path.Child("nodeSelector"), updated.Spec.NodeSelector, selectorRule))
	}
	if !slices.EqualFunc(updated.Spec.NodeSelectorTerms, old.Spec.NodeSelectorTerms, sameTerm) {
		errs = append(errs, field.Invalid(path.Child("nodeSelectorTerms"), updated.Spec.NodeSelectorTerms, termsRule))
	}
	return errs
}

// validatePairs holds a map of labels to its bound and to the syntax of labels.
func validatePairs(labels map[string]string, path *field.Path) field.ErrorList {
	if len(labels) > MaxNodeSelectorPairs {
		return field.ErrorList{field.TooMany(path, len(labels), MaxNodeSelectorPairs)}
	}
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		errs = append(errs, labelKey(path.Key(key), key)...)
		errs = append(errs, labelValue(path.Key(key), labels[key])...)
	}
	return errs
}

func labelKey(path *field.Path, key string) field.ErrorList {
	if len(validation.IsQualifiedName(key)) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, key, keyRule)}
}

func labelValue(path *field.Path, value string) field.ErrorList {
	if len(validation.IsValidLabelValue(value)) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, valueRule)}
}

func oneOf[T ~string](path *field.Path, value T, supported ...T) field.ErrorList {
	if slices.Contains(supported, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, supported)}
}

// atMost counts characters, as the schema does.
func atMost(path *field.Path, text string, limit int) field.ErrorList {
	if utf8.RuneCountInString(text) <= limit {
		return nil
	}
	return field.ErrorList{field.TooLong(path, text, limit)}
}
