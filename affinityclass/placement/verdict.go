package placement

// Verdict is what a preview comes to.
type Verdict string

const (
	// Fits says that a candidate is left.
	Fits Verdict = "Fits"
	// Unsatisfiable says that none is left, and none would be if the resources
	// in use were free: the request conflicts with the present state.
	Unsatisfiable Verdict = "Unsatisfiable"
	// NoCapacity says that none is left, but some would be if the resources in
	// use were free.
	NoCapacity Verdict = "NoCapacity"
)

// Code is the HTTP status of a verdict; 0 when the Pod fits.
func (v Verdict) Code() int {
	switch v {
	case Unsatisfiable:
		return 409
	case NoCapacity:
		return 507
	default:
		return 0
	}
}

// Profile names a way to score candidates.
type Profile string

// LeastLoaded prefers nodes with few Pods, then what the Pod prefers. A node's
// score is the sum of the terms a Candidate shows:
//
//	load                  − Pods assigned to the node
//	preferredAffinity     + weight of each satisfied preferred Pod affinity term
//	preferredAntiAffinity − weight of each satisfied preferred Pod anti-affinity term
//	topologySpread        − matching Pods in the node's domain, for every constraint
//	taints                − PreferNoSchedulePenalty for an untolerated PreferNoSchedule taint
//	deviceHint            + DeviceHintBonus when an allocated claim's devices are on the node
//	nodeAffinity          + weight of each matching preferred node affinity term
const LeastLoaded Profile = "LeastLoaded"

const (
	// PreferNoSchedulePenalty is what an untolerated PreferNoSchedule taint
	// costs a node, once, however many it bears.
	PreferNoSchedulePenalty = 30
	// DeviceHintBonus is what a node gains by owning the devices that are
	// already allocated to the Pod's claims. A hint, never an allocation.
	DeviceHintBonus = 30
)
