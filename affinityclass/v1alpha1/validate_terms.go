package v1alpha1

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateTerms(terms []NodeSelectorTerm, path *field.Path) field.ErrorList {
	if len(terms) > MaxTerms {
		return field.ErrorList{field.TooMany(path, len(terms), MaxTerms)}
	}
	var errs field.ErrorList
	for i := range terms {
		errs = append(errs, validateTerm(&terms[i], path.Index(i))...)
	}
	return errs
}

func validateTerm(term *NodeSelectorTerm, path *field.Path) field.ErrorList {
	if len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0 {
		return field.ErrorList{field.Required(path, emptyTermRule)}
	}
	var errs field.ErrorList
	expressions, fields := path.Child("matchExpressions"), path.Child("matchFields")
	if len(term.MatchExpressions) > MaxRequirements {
		errs = append(errs, field.TooMany(expressions, len(term.MatchExpressions), MaxRequirements))
	}
	if len(term.MatchFields) > MaxRequirements {
		errs = append(errs, field.TooMany(fields, len(term.MatchFields), MaxRequirements))
	}
	if len(errs) > 0 {
		return errs
	}
	for i, r := range term.MatchExpressions {
		read := requirement{r.Key, string(r.Operator), r.Values}
		errs = append(errs, read.validate(expressions.Index(i), "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")...)
	}
	for i, r := range term.MatchFields {
		errs = append(errs, validateField(r, fields.Index(i))...)
	}
	return errs
}

// requirement is one on a label, of a node or of a Pod.
type requirement struct {
	key, operator string
	values        []string
}

func (r requirement) validate(path *field.Path, operators ...string) field.ErrorList {
	errs := labelKey(path.Child("key"), r.key)
	errs = append(errs, oneOf(path.Child("operator"), r.operator, operators...)...)
	values := path.Child("values")
	if len(r.values) > MaxValues {
		return append(errs, field.TooMany(values, len(r.values), MaxValues))
	}
	for i, value := range r.values {
		errs = append(errs, labelValue(values.Index(i), value)...)
	}
	switch r.operator {
	case "In", "NotIn":
		if len(r.values) == 0 {
			errs = append(errs, field.Required(values, someValueRule))
		}
	case "Exists", "DoesNotExist":
		if len(r.values) > 0 {
			errs = append(errs, field.Forbidden(values, noValueRule))
		}
	case "Gt", "Lt":
		if len(r.values) != 1 || !isInteger(r.values[0]) {
			errs = append(errs, field.Invalid(values, r.values, integerRule))
		}
	}
	return errs
}

// isInteger reads a value as the scheduler does. It would read a sign too, but no
// label value begins with one.
func isInteger(value string) bool {
	_, err := strconv.ParseInt(value, 10, 64)
	return err == nil
}

func validateField(r NodeFieldRequirement, path *field.Path) field.ErrorList {
	errs := oneOf(path.Child("key"), r.Key, "metadata.name")
	errs = append(errs, oneOf(path.Child("operator"), r.Operator, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn)...)
	values := path.Child("values")
	if len(r.Values) != 1 {
		return append(errs, field.Invalid(values, r.Values, oneNameRule))
	}
	if len(validation.IsDNS1123Subdomain(r.Values[0])) > 0 {
		errs = append(errs, field.Invalid(values.Index(0), r.Values[0], nodeNameRule))
	}
	return errs
}

// sameTerm compares what is written, in its order, as the rule of the schema does.
func sameTerm(a, b NodeSelectorTerm) bool {
	sameExpression := func(a, b NodeSelectorRequirement) bool {
		return a.Key == b.Key && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
	}
	sameField := func(a, b NodeFieldRequirement) bool {
		return a.Key == b.Key && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
	}
	return slices.EqualFunc(a.MatchExpressions, b.MatchExpressions, sameExpression) &&
		slices.EqualFunc(a.MatchFields, b.MatchFields, sameField)
}
