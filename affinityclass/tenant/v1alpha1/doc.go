// Package v1alpha1 holds the API type Tenant, the rules that one object must
// keep, and which namespace is whose.
//
// A platform's own Tenant has more fields than the two that are read here: the
// CustomResourceDefinition keeps them, and nobody in this project writes a Tenant,
// so that none is lost. The rules are said twice, in the same words: as markers,
// from which the CustomResourceDefinition is generated, and in Go (Validate).
//
// What a Tenant may use, which takes the whole path to the root into account, is
// the policy package's to say; this one looks at one object or one name at a
// time, and never reads from a cluster.
//
// +kubebuilder:object:generate=true
// +groupName=apps.cozystack.io
package v1alpha1
