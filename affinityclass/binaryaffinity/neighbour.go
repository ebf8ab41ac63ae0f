package binaryaffinity

import "slices"

// Placed is what is to be known of a Pod that may be a neighbour.
type Placed struct {
	Namespace, Name, UID string
	Node                 string   // empty while the Pod is not placed
	Tags                 []string // sorted
	Finished             bool     // succeeded or failed: holds no place any more
}

// Bears says whether the Pod has a tag.
func (p *Placed) Bears(tag string) bool {
	_, found := slices.BinarySearch(p.Tags, tag)
	return found
}

func (p *Placed) gone() bool { return p.Node == "" || p.Finished }

// Asker is the Pod that asks. Of a Pod not stored yet the UID is empty, and with
// generateName the Name as well.
type Asker struct {
	Namespace, Name, UID string
}

// Neighbour is the one rule of who counts, for filter and scorer alike: not who
// is gone or not placed, not the asking Pod itself, not who bears no tag, and
// nobody of another namespace.
func (a Asker) Neighbour(p *Placed) bool {
	return !p.gone() && !a.is(p) && len(p.Tags) > 0 && p.Namespace == a.Namespace
}

// is compares by UID where both are known: a name may be used again.
func (a Asker) is(p *Placed) bool {
	if a.UID != "" && p.UID != "" {
		return a.UID == p.UID
	}
	return a.Name != "" && a.Name == p.Name && a.Namespace == p.Namespace
}
