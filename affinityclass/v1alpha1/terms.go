package v1alpha1

import corev1 "k8s.io/api/core/v1"

// NodeSelectorTerm is a conjunction of requirements on one node, written as in
// Kubernetes.
// ---
// Unlike in the core type everything has a bound: without them the API server
// refuses the rules as too costly.
//
// +kubebuilder:validation:XValidation:rule="has(self.matchExpressions) || has(self.matchFields)",message="a term needs a requirement: an empty one matches no node",reason="FieldValueRequired"
type NodeSelectorTerm struct {
	// MatchExpressions are requirements on the node's labels.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	MatchExpressions []NodeSelectorRequirement `json:"matchExpressions,omitempty"`

	// MatchFields are requirements on the node's name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	MatchFields []NodeFieldRequirement `json:"matchFields,omitempty"`
}

// NodeSelectorRequirement is a requirement on one label of a node.
// ---
// An empty list of values cannot be stored, although Exists could take one: a
// client that drops empty fields would change what is immutable. The rule of Gt
// and Lt is what strconv.ParseInt reads of a label value in base 10 and 64 bits.
//
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['In', 'NotIn']) || has(self.values)",message="In and NotIn need a value",reason="FieldValueRequired",fieldPath=".values"
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values)",message="Exists and DoesNotExist take no value",reason="FieldValueForbidden",fieldPath=".values"
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['Gt', 'Lt']) || has(self.values) && size(self.values) == 1 && self.values[0].matches('^[0-9]+$') && [self.values[0].find('[1-9][0-9]*$')].all(n, size(n) < 19 || size(n) == 19 && n <= '9223372036854775807')",message="Gt and Lt need exactly one value: a decimal integer of 64 bits",fieldPath=".values"
type NodeSelectorRequirement struct {
	// Key of the label.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	Key string `json:"key"`

	// Operator relates the label to the values. NotIn is met by a node without
	// the label too; Gt and Lt compare integers.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist;Gt;Lt
	Operator corev1.NodeSelectorOperator `json:"operator"`

	// Values are one or more for In and NotIn, one integer for Gt and Lt, none
	// for Exists and DoesNotExist.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(v, !format.labelValue().validate(v).hasValue())",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	Values []LabelValue `json:"values,omitempty"`
}

// NodeFieldRequirement is a requirement on a field of a node, which can only be
// its name.
type NodeFieldRequirement struct {
	// Key is metadata.name.
	// +required
	// +kubebuilder:validation:Enum=metadata.name
	Key string `json:"key"`

	// Operator is In or NotIn.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn
	Operator corev1.NodeSelectorOperator `json:"operator"`

	// Values is exactly one name.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.all(v, !format.dns1123Subdomain().validate(v).hasValue())",message="the name of a node must be a DNS subdomain of at most 253 characters"
	Values []string `json:"values"`
}

// LabelValue is the value of a label.
// ---
// It has a name only to carry its bound: without one, the API server must assume
// values so long that it refuses the rules about them as too costly.
//
// +kubebuilder:validation:MaxLength=63
type LabelValue = string
