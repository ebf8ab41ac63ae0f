package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Tenant owns a namespace, and says which AffinityClasses may be used there and
// in the namespaces of the tenants below it.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,path=tenants,singular=tenant
// +kubebuilder:printcolumn:name="Allowed",type=string,JSONPath=`.spec.allowedAffinityClasses`,description="classes that may be used; [] for none, nothing for no restriction of its own"
// +kubebuilder:printcolumn:name="Default",type=string,JSONPath=`.spec.defaultAffinityClass`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]{1,63}$')",message="the name must be a DNS label without dashes: with them, two tenants could have one namespace"
type Tenant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which classes the tenant may use. Fields that the platform adds
	// are kept.
	// +optional
	Spec TenantSpec `json:"spec,omitzero"`
}

// TenantSpec is the part of a Tenant that concerns placement.
//
// +kubebuilder:pruning:PreserveUnknownFields
type TenantSpec struct {
	// AllowedAffinityClasses narrows what the tenants above allow. Absent, it is
	// no restriction; empty, it allows no class at all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.all(c, !format.dns1123Label().validate(c).hasValue())",message="every class must be the name of an AffinityClass: a DNS label of at most 63 characters"
	AllowedAffinityClasses []string `json:"allowedAffinityClasses,omitzero"`

	// DefaultAffinityClass is given to an application that names no class when it
	// is created.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="size(self) == 0 || !format.dns1123Label().validate(self).hasValue()",message="the default must be the name of an AffinityClass: a DNS label of at most 63 characters"
	DefaultAffinityClass string `json:"defaultAffinityClass,omitempty"`
}

// TenantList is a list of Tenants.
//
// +kubebuilder:object:root=true
type TenantList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Tenant `json:"items"`
}
