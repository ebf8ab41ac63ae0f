package v1alpha1

// Surge says how room is reserved before a node of a class is drained.
type Surge struct {
	// WholeNodeReservation sizes the placeholder Pod to all that the node has
	// beside its DaemonSets, instead of what its Pods request. Every host with less
	// free cpu or memory than that is then excluded, which narrows the set of
	// occupied hosts that take the placeholder and afterwards refuse one of the
	// Pods. It says nothing of what runs on a host that takes it: a larger host,
	// one with fewer DaemonSets, or one whose Pods request neither cpu nor memory
	// may still be occupied. Of a node in several classes, all must set it.
	// +optional
	WholeNodeReservation bool `json:"wholeNodeReservation,omitempty"`
}
