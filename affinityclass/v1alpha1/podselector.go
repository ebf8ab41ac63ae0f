package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PodSelector is a label selector, written as in Kubernetes.
//
// +kubebuilder:validation:XValidation:rule="has(self.matchLabels) || has(self.matchExpressions)",message="a podSelector needs a requirement: leave it out to mean every Pod",reason="FieldValueRequired"
type PodSelector struct {
	// MatchLabels are labels that the Pod has.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && !format.qualifiedName().validate(k).hasValue())",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.labelValue().validate(self[k]).hasValue())",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// MatchExpressions are requirements on the Pod's labels.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	MatchExpressions []PodSelectorRequirement `json:"matchExpressions,omitempty"`
}

// PodSelectorRequirement is a requirement on one label of a Pod.
//
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['In', 'NotIn']) || has(self.values)",message="In and NotIn need a value",reason="FieldValueRequired",fieldPath=".values"
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values)",message="Exists and DoesNotExist take no value",reason="FieldValueForbidden",fieldPath=".values"
type PodSelectorRequirement struct {
	// Key of the label.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	Key string `json:"key"`

	// Operator relates the label to the values. NotIn is met by a Pod without the
	// label too.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`

	// Values are one or more for In and NotIn, none for Exists and DoesNotExist.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(v, !format.labelValue().validate(v).hasValue())",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	Values []LabelValue `json:"values,omitempty"`
}

// LabelSelector returns s as the core type; nil, which selects nothing there, for
// nil. The result shares memory with s and is not to be changed.
func (s *PodSelector) LabelSelector() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	selector := &metav1.LabelSelector{MatchLabels: s.MatchLabels}
	for _, requirement := range s.MatchExpressions {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement(requirement))
	}
	return selector
}
