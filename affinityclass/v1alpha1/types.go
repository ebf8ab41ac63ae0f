package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AffinityClass names a set of nodes. It is to placement what a StorageClass is
// to storage: an administrator says once which nodes "dc1" are, a user picks the
// name for an application, and every Pod of that application must then be bound
// to those nodes by its own constraints.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=affinityclasses,singular=affinityclass,shortName=ac
// +kubebuilder:printcolumn:name="Selector",type=string,JSONPath=`.spec['nodeSelector','nodeSelectorTerms']`,description="nodeSelector, or the terms of a class that has only those"
// +kubebuilder:printcolumn:name="Action",type=string,JSONPath=`.spec.enforcementAction`
// +kubebuilder:printcolumn:name="Nodes",type=integer,JSONPath=`.status.nodes.matching`
// +kubebuilder:printcolumn:name="Releases",type=integer,JSONPath=`.status.releases`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.nodes.ready`,priority=1,description="nodes of the class that are ready and schedulable"
// +kubebuilder:printcolumn:name="Tenants",type=integer,JSONPath=`.status.tenants`,priority=1
// +kubebuilder:printcolumn:name="Terms",type=string,JSONPath=`.spec.nodeSelectorTerms`,priority=1
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self.metadata.name).hasValue()",message="the name must be a DNS label of at most 63 characters: it is copied into a label value"
type AffinityClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which nodes belong to the class and what happens to a Pod that
	// does not keep to them.
	// +required
	Spec AffinityClassSpec `json:"spec"`

	// Status is written by the server.
	// +optional
	Status AffinityClassStatus `json:"status,omitzero"`
}

// AffinityClassSpec is what an administrator writes.
//
// The rules of immutability sit here rather than on the fields, and compare
// presence too: a rule on a field is not evaluated by the update that removes
// the field, nor by the one that adds it again.
//
// +kubebuilder:validation:XValidation:rule="has(self.nodeSelector) || has(self.nodeSelectorTerms)",message="at least one of nodeSelector and nodeSelectorTerms is required",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="has(self.nodeSelector) == has(oldSelf.nodeSelector) && (!has(self.nodeSelector) || self.nodeSelector == oldSelf.nodeSelector)",message="nodeSelector is immutable: make a new class and move the applications to it",fieldPath=".nodeSelector"
// +kubebuilder:validation:XValidation:rule="has(self.nodeSelectorTerms) == has(oldSelf.nodeSelectorTerms) && (!has(self.nodeSelectorTerms) || self.nodeSelectorTerms == oldSelf.nodeSelectorTerms)",message="nodeSelectorTerms is immutable: make a new class and move the applications to it",fieldPath=".nodeSelectorTerms"
type AffinityClassSpec struct {
	// NodeSelector is the contract: labels that every node of the class has. A
	// Pod keeps it when its own constraints allow no node without them. It cannot
	// be changed once the class exists: Pods of running applications would be
	// refused the next time they are recreated. To move applications, make a new
	// class.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && !format.qualifiedName().validate(k).hasValue())",message="every key must be a label key: a name of at most 63 characters, optionally after a DNS subdomain and a slash"
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.labelValue().validate(self[k]).hasValue())",message="every value must be a label value: empty, or at most 63 characters of letters, digits, '-', '_' and '.', beginning and ending with a letter or digit"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// NodeSelectorTerms widen the contract to an OR: a node of the class matches
	// one of the terms, and has the labels of nodeSelector too. They are written
	// as in a Pod's required node affinity. They cannot be changed once the class
	// exists.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms,omitempty"`

	// Tolerations are handed to charts together with the selector, for a class
	// whose nodes are tainted. They are no part of the contract.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// EnforcementAction says what happens to a Pod that does not keep the
	// contract: Deny, the default, refuses it; Warn lets it pass with a warning;
	// Audit lets it pass and records it. It softens nothing else.
	// +optional
	// +default="Deny"
	EnforcementAction EnforcementAction `json:"enforcementAction,omitempty"`

	// Description is a sentence for people who choose among classes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Description string `json:"description,omitempty"`

	// Surge says how "affinityctl drain" reserves room before a node of the class
	// is drained. It is no part of the contract.
	// +optional
	Surge Surge `json:"surge,omitzero"`
}

// EnforcementAction is what happens to a Pod that does not keep the contract of
// its class.
//
// +kubebuilder:validation:Enum=Deny;Warn;Audit
type EnforcementAction string

// The actions, from the strictest.
const (
	Deny  EnforcementAction = "Deny"
	Warn  EnforcementAction = "Warn"
	Audit EnforcementAction = "Audit"
)

// AffinityClassList is a list of AffinityClasses.
//
// +kubebuilder:object:root=true
type AffinityClassList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []AffinityClass `json:"items"`
}
