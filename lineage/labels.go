package lineage

// Labels and annotations that a walk and its callers read.
const (
	// LabelFluxName and LabelFluxNamespace are written by helm-controller on
	// whatever a release deploys. Without the second, the object's own namespace
	// is meant.
	LabelFluxName      = "helm.toolkit.fluxcd.io/name"
	LabelFluxNamespace = "helm.toolkit.fluxcd.io/namespace"

	// The three labels of a release that stands for a whole application. A
	// release without all three is a part of another one.
	LabelApplicationGroup = "apps.cozystack.io/application.group"
	LabelApplicationKind  = "apps.cozystack.io/application.kind"
	LabelApplicationName  = "apps.cozystack.io/application.name"

	// AnnotationMirrorPod marks the mirror of a static Pod. Anybody may write it.
	AnnotationMirrorPod = "kubernetes.io/config.mirror"
)

// IsApplication reports whether a release bears the three application labels,
// none of them empty.
func IsApplication(release *Object) bool {
	return release.Labels[LabelApplicationGroup] != "" &&
		release.Labels[LabelApplicationKind] != "" &&
		release.Labels[LabelApplicationName] != ""
}
