package v1alpha1

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AffinityClass names a set of nodes. It is to placement what a StorageClass is
// to storage: an administrator says once which nodes "dc1" are, a user picks the
// name for an application, and every Pod of that application must then be bound
// to those nodes by its own node selector.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,path=affinityclasses,singular=affinityclass,shortName=ac
// +kubebuilder:printcolumn:name="Selector",type=string,JSONPath=`.spec.nodeSelector`
// +kubebuilder:printcolumn:name="Action",type=string,JSONPath=`.spec.enforcementAction`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self.metadata.name).hasValue()",message="the name must be a DNS label of at most 63 characters: it is copied into a label value"
type AffinityClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which nodes belong to the class and what happens to a Pod that
	// does not keep to them.
	// +required
	Spec AffinityClassSpec `json:"spec"`
}

// AffinityClassSpec is what an administrator writes.
//
// The rule of immutability sits here rather than on the field, and compares
// presence too: a rule on the field is not evaluated by the update that removes
// the field, nor by the one that adds it again.
//
// +kubebuilder:object:generate=false
// +kubebuilder:validation:XValidation:rule="has(self.nodeSelector) == has(oldSelf.nodeSelector) && (!has(self.nodeSelector) || self.nodeSelector == oldSelf.nodeSelector)",message="nodeSelector is immutable: make a new class and move the applications to it"
type AffinityClassSpec struct {
	// NodeSelector is the contract: labels that every node of the class has. A
	// Pod keeps it when its own node selector demands every one of these pairs.
	// It cannot be changed once the class exists: Pods of running applications
	// would be refused the next time they are recreated. To move applications,
	// make a new class.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && !format.qualifiedName().validate(k).hasValue())",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.labelValue().validate(self[k]).hasValue())",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	NodeSelector map[string]LabelValue `json:"nodeSelector"`

	// EnforcementAction says what happens to a Pod that does not keep the
	// contract. Deny, the default, refuses it.
	// +optional
	// +default="Deny"
	EnforcementAction EnforcementAction `json:"enforcementAction,omitempty"`

	// Description is a sentence for people who choose among classes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`
}

// LabelValue is the value of a node label.
// ---
// It has a name only to carry its bound: without one, the API server must assume
// values so long that it refuses the rules above as too costly.
//
// +kubebuilder:validation:MaxLength=63
type LabelValue = string

// EnforcementAction is what happens to a Pod that does not keep the contract of
// its class.
//
// +kubebuilder:validation:Enum=Deny
type EnforcementAction string

// Deny refuses the Pod.
const Deny EnforcementAction = "Deny"

// DeepCopyInto copies the spec into out. It is written by hand because the
// generator does not know maps of an alias such as LabelValue.
func (in *AffinityClassSpec) DeepCopyInto(out *AffinityClassSpec) {
	*out = *in
	out.NodeSelector = maps.Clone(in.NodeSelector)
}

// AffinityClassList is a list of AffinityClasses.
//
// +kubebuilder:object:root=true
type AffinityClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []AffinityClass `json:"items"`
}
