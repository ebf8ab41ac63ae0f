package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Toleration is written as in Kubernetes.
// ---
// It keeps the rules of the core type, those that every cluster knows: tolerations
// that no Pod may carry would be found out only when an application is installed.
//
// +kubebuilder:validation:XValidation:rule="has(self.key) || has(self.operator) && self.operator == 'Exists'",message="a toleration without a key tolerates every taint: its operator must be Exists",fieldPath=".operator"
// +kubebuilder:validation:XValidation:rule="!has(self.operator) || self.operator != 'Exists' || !has(self.value) || size(self.value) == 0",message="Exists takes no value",reason="FieldValueForbidden",fieldPath=".value"
// +kubebuilder:validation:XValidation:rule="!has(self.tolerationSeconds) || has(self.effect) && self.effect == 'NoExecute'",message="tolerationSeconds needs the effect NoExecute",fieldPath=".effect"
type Toleration struct {
	// Key of the taint; absent means every key.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	Key string `json:"key,omitempty"`

	// Operator relates the taint to the value. Equal is meant where it is absent.
	// +optional
	// +kubebuilder:validation:Enum=Equal;Exists
	Operator corev1.TolerationOperator `json:"operator,omitempty"`

	// Value of the taint.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!format.labelValue().validate(self).hasValue()",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	Value LabelValue `json:"value,omitempty"`

	// Effect of the taint; absent means every effect.
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect corev1.TaintEffect `json:"effect,omitempty"`

	// TolerationSeconds is how long a Pod stays on a node with the taint; absent
	// means for ever.
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}
