package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AffinityExemption lets Pods pass that a platform controller makes and that
// cannot carry an application's selector: disk importers, ACME solvers, hot-plug
// Pods. What decides is who created the Pod, which cannot be forged; the reason
// is kept on record.
// ---
// The column of expires is no date: of a date kubectl says how long ago it was.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=affinityexemptions,singular=affinityexemption,shortName=aex
// +kubebuilder:printcolumn:name="Creator",type=string,JSONPath=`.spec.usernames`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.spec.reason`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expires`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Active",type=string,JSONPath=`.status.conditions[?(@.type=="Active")].status`,priority=1
type AffinityExemption struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which Pods are let through, and why.
	// +required
	Spec AffinityExemptionSpec `json:"spec"`

	// Status is written by the server.
	// +optional
	Status AffinityExemptionStatus `json:"status,omitzero"`
}

// AffinityExemptionSpec is what an administrator writes. A Pod is exempt when
// everything that is set here fits it.
type AffinityExemptionSpec struct {
	// Usernames of the authenticated creator of the Pod: a whole name, or
	// "system:serviceaccount:NAMESPACE:*" for every ServiceAccount of a namespace.
	// The ServiceAccounts of a namespace whose Pods are judged do not count: any
	// Pod there can wear them.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.all(u, !u.contains('*') || u.matches('^system:serviceaccount:[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?:[*]$'))",message="'*' has a meaning only in system:serviceaccount:NAMESPACE:*"
	Usernames []string `json:"usernames"`

	// Namespaces in which it holds, by name; absent means in all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(n, !format.dns1123Label().validate(n).hasValue())",message="every namespace must be a name, a DNS label: patterns have no meaning here"
	Namespaces []string `json:"namespaces,omitempty"`

	// OwnerKind of the Pod's controller; absent means any, or none.
	// +optional
	OwnerKind *OwnerKind `json:"ownerKind,omitempty"`

	// PodSelector on the Pod's labels; absent means every Pod.
	// +optional
	PodSelector *PodSelector `json:"podSelector,omitempty"`

	// Reason for people, and for the record of each Pod let through.
	// +required
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('[^[:space:]]')",message="a reason must be given: it goes on record with each Pod let through",reason="FieldValueRequired"
	Reason string `json:"reason"`

	// Expires is when it ceases to count; absent means never.
	// +optional
	Expires *metav1.Time `json:"expires,omitempty"`
}

// OwnerKind names a kind in any version.
type OwnerKind struct {
	// Group of the kind; absent or empty for the core group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || !format.dns1123Subdomain().validate(self).hasValue()",message="the group must be a DNS subdomain without a version, such as batch"
	Group string `json:"group,omitempty"`

	// Kind, such as Job.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$')",message="the kind must be the name of a kind, such as Job"
	Kind string `json:"kind"`
}

// AffinityExemptionList is a list of AffinityExemptions.
//
// +kubebuilder:object:root=true
type AffinityExemptionList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []AffinityExemption `json:"items"`
}
