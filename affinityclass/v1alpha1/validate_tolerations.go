package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateTolerations(tolerations []Toleration, path *field.Path) field.ErrorList {
	if len(tolerations) > MaxTolerations {
		return field.ErrorList{field.TooMany(path, len(tolerations), MaxTolerations)}
	}
	var errs field.ErrorList
	for i := range tolerations {
		errs = append(errs, validateToleration(&tolerations[i], path.Index(i))...)
	}
	return errs
}

func validateToleration(t *Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operator, effect := path.Child("operator"), path.Child("effect")
	if t.Key != "" {
		errs = append(errs, labelKey(path.Child("key"), t.Key)...)
	}
	if t.Operator != "" {
		errs = append(errs, oneOf(operator, t.Operator, corev1.TolerationOpEqual, corev1.TolerationOpExists)...)
	}
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(operator, t.Operator, everyTaintRule))
	}
	errs = append(errs, labelValue(path.Child("value"), t.Value)...)
	if t.Value != "" && t.Operator == corev1.TolerationOpExists {
		errs = append(errs, field.Forbidden(path.Child("value"), existsRule))
	}
	if t.Effect != "" {
		errs = append(errs, oneOf(effect, t.Effect,
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(effect, t.Effect, secondsRule))
	}
	return errs
}
