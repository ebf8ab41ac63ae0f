package v1alpha1

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// ValidateExemption says which rules an exemption breaks, in the order of its
// fields; none means that the API server would store it. Whether it still counts,
// and for whom, is not its form's to say.
func ValidateExemption(exemption *AffinityExemption) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(exemption.Name) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), exemption.Name, problem))
	}
	path, spec := field.NewPath("spec"), &exemption.Spec
	errs = append(errs, validateUsernames(spec.Usernames, path.Child("usernames"))...)
	errs = append(errs, validateNamespaces(spec.Namespaces, path.Child("namespaces"))...)
	if spec.OwnerKind != nil {
		errs = append(errs, validateOwnerKind(spec.OwnerKind, path.Child("ownerKind"))...)
	}
	if spec.PodSelector != nil {
		errs = append(errs, validatePodSelector(spec.PodSelector, path.Child("podSelector"))...)
	}
	if strings.Trim(spec.Reason, " \t\n\v\f\r") == "" {
		errs = append(errs, field.Required(path.Child("reason"), reasonRule))
	}
	return append(errs, atMost(path.Child("reason"), spec.Reason, MaxReasonLength)...)
}

func validateUsernames(names []string, path *field.Path) field.ErrorList {
	if len(names) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	if len(names) > MaxUsernames {
		return field.ErrorList{field.TooMany(path, len(names), MaxUsernames)}
	}
	errs := duplicates(path, names)
	for i, name := range names {
		if name == "" {
			errs = append(errs, field.Required(path.Index(i), ""))
		}
		if !isUsername(name) {
			errs = append(errs, field.Invalid(path, name, usernameRule))
		}
		errs = append(errs, atMost(path.Index(i), name, MaxUsernameLength)...)
	}
	return errs
}

// isUsername says whether name is a whole one, or stands for every ServiceAccount
// of a namespace.
func isUsername(name string) bool {
	if !strings.Contains(name, "*") {
		return true
	}
	rest, ofAccount := strings.CutPrefix(name, "system:serviceaccount:")
	namespace, ofAll := strings.CutSuffix(rest, ":*")
	return ofAccount && ofAll && len(validation.IsDNS1123Label(namespace)) == 0
}

func validateNamespaces(names []string, path *field.Path) field.ErrorList {
	if len(names) > MaxNamespaces {
		return field.ErrorList{field.TooMany(path, len(names), MaxNamespaces)}
	}
	errs := duplicates(path, names)
	for _, name := range names {
		if len(validation.IsDNS1123Label(name)) > 0 {
			errs = append(errs, field.Invalid(path, name, namespaceRule))
		}
	}
	return errs
}

func validateOwnerKind(kind *OwnerKind, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if kind.Group != "" && len(validation.IsDNS1123Subdomain(kind.Group)) > 0 {
		errs = append(errs, field.Invalid(path.Child("group"), kind.Group, groupRule))
	}
	if !isKind(kind.Kind) {
		errs = append(errs, field.Invalid(path.Child("kind"), kind.Kind, kindRule))
	}
	return errs
}

// isKind follows what a CustomResourceDefinition may name a kind.
func isKind(kind string) bool {
	return kind != "" && len(kind) <= validation.DNS1035LabelMaxLength &&
		strings.Trim(kind, letters+digits+"-") == "" &&
		strings.Contains(letters, kind[:1]) && kind[len(kind)-1] != '-'
}

func validatePodSelector(selector *PodSelector, path *field.Path) field.ErrorList {
	if len(selector.MatchLabels) == 0 && len(selector.MatchExpressions) == 0 {
		return field.ErrorList{field.Required(path, podSelectorRule)}
	}
	errs := validatePairs(selector.MatchLabels, path.Child("matchLabels"))
	expressions := path.Child("matchExpressions")
	if len(selector.MatchExpressions) > MaxRequirements {
		return append(errs, field.TooMany(expressions, len(selector.MatchExpressions), MaxRequirements))
	}
	for i, r := range selector.MatchExpressions {
		read := requirement{r.Key, string(r.Operator), r.Values}
		errs = append(errs, read.validate(expressions.Index(i), "In", "NotIn", "Exists", "DoesNotExist")...)
	}
	return errs
}

func duplicates(path *field.Path, names []string) field.ErrorList {
	var errs field.ErrorList
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			errs = append(errs, field.Duplicate(path.Index(i), name))
		}
	}
	return errs
}
