package inventory

import "time"

// hear notes that the API server has told something of the kind, if only that there is
// nothing new.
func (f *feed[T]) hear() { f.heard.Store(time.Now().UnixNano()) }

// UpdateResourceVersion is called for each event of a watch. An API server sends a
// bookmark about once a minute where there is none other.
func (f *feed[T]) UpdateResourceVersion(string) { f.hear() }

func (f *feed[T]) lastHeard() time.Time {
	if heard := f.heard.Load(); heard != 0 {
		return time.Unix(0, heard)
	}
	return time.Time{}
}

// Age is how long ago the API server was last heard of the kind that it has been silent
// of the longest: a list read, a watch begun, an event or a bookmark. It is 0 while some
// kind was never read. A watch that is healthy is begun anew within ten minutes.
func (i *Inventory) Age() time.Duration {
	age := time.Duration(0)
	for _, f := range i.feeds {
		heard := f.lastHeard()
		if heard.IsZero() {
			return 0
		}
		age = max(age, time.Since(heard))
	}
	return age
}
