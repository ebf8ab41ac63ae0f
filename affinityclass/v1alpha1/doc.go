// Package v1alpha1 holds the API types AffinityClass and AffinityExemption and
// the rules that one object must keep to be accepted.
//
// The rules are said twice, in the same words: as markers here, from which the
// CustomResourceDefinitions are generated, and in Go (Validate, ValidateUpdate,
// ValidateExemption) for whoever reads an object from a file or answers an
// admission review. A test against a real API server holds the two together.
//
// What a class or an exemption means for a Pod is the affinityclass package's to
// say; this one never looks at Pods or nodes, and never reads from a cluster.
//
// +kubebuilder:object:generate=true
// +groupName=cozystack.io
package v1alpha1
