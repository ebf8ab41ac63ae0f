package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The conditions that the server keeps.
const (
	// ClassReady of an AffinityClass is true when a node belongs to it.
	ClassReady = "Ready"
	// ExemptionActive of an AffinityExemption is false when it has expired.
	ExemptionActive = "Active"
)

// AffinityClassStatus is what the elected replica of the server observed.
type AffinityClassStatus struct {
	// Conditions: Ready is true when a node belongs to the class.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`

	// Nodes of the class.
	// +optional
	Nodes NodeCounts `json:"nodes"`

	// Releases counts those that name the class.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Releases int32 `json:"releases"`

	// Tenants counts those that refer to the class.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Tenants int32 `json:"tenants"`
}

// NodeCounts counts the nodes of a class. Zero is told, not left out: it is what
// an administrator looks for.
type NodeCounts struct {
	// Matching nodes belong to the class.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Matching int32 `json:"matching"`

	// Ready nodes are those of the matching that are Ready and schedulable.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Ready int32 `json:"ready"`
}

// AffinityExemptionStatus is what the elected replica of the server observed.
type AffinityExemptionStatus struct {
	// Conditions: Active is false when the exemption has expired.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}
