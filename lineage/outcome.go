package lineage

// Outcome is closed: Resolved, Unmanaged, Ambiguous, Broken or Unknown.
// "Could not read" is never Unmanaged.
type Outcome interface{ outcome() }

// Via says how a hop was found.
type Via string

// The ways from one hop to the next.
const (
	ViaStart      Via = ""           // the object the walk began at
	ViaController Via = "controller" // its controller reference
	ViaOwner      Via = "owner"      // another owner reference
	ViaFluxLabel  Via = "flux-label" // helm.toolkit.fluxcd.io/name and /namespace
)

// Hop is one step of a walk. Object is nil when the hop could not be read.
type Hop struct {
	Ref    Ref
	Via    Via
	Object *Object
}

// Resolved says that one release was reached. Chain lists every hop from the
// object up; its last hop is Release.
type Resolved struct {
	Release *Object
	Chain   []Hop
}

// Unmanaged says that the chain ends at Top, an object with neither owners nor
// an acceptable Flux label. Why is one of the Why constants.
type Unmanaged struct {
	Top   *Object
	Chain []Hop
	Why   Why
}

// Why says why an object is unmanaged.
type Why string

// A label that names no release and one that names a release elsewhere are one
// reason: telling them apart would say what exists in another namespace.
const (
	WhyNoOwner   Why = "no owner and no Flux label"
	WhyFluxLabel Why = "the Flux label names no release that deploys here"
)

// Ambiguous says that different releases were reached, one branch each, sorted
// by the releases' namespace and name.
type Ambiguous struct {
	Branches []Resolved
}

// Broken says that an ownerReference, read live, leads to nothing or to another
// uid, that the chain is a cycle, or that it is over a bound.
type Broken struct {
	Hop   Hop
	Chain []Hop
	Why   BrokenWhy
}

// BrokenWhy says what is broken; all dangling references share one value.
type BrokenWhy string

// What may be wrong with a chain.
const (
	BrokenDangling BrokenWhy = "an owner reference leads to no such object"
	BrokenCycle    BrokenWhy = "the owner references form a cycle"
	BrokenBound    BrokenWhy = "the chain of owners is over the bound of 16 hops, 32 reads or 8 owners that do not control"
)

// Unknown says that a hop could not be read: for now, or lastingly (forbidden to
// us, no such kind), where a person has to act.
type Unknown struct {
	Hop     Hop
	Chain   []Hop
	Lasting bool
	Err     error
}

func (Resolved) outcome()  {}
func (Unmanaged) outcome() {}
func (Ambiguous) outcome() {}
func (Broken) outcome()    {}
func (Unknown) outcome()   {}
