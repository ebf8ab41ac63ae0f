package review

import "github.com/cozystack/affinityclass/affinityclass/policy"

// usable says why something that did not have a class before cannot have it now:
// whether it is allowed is asked before whether it exists.
func usable(namespace string, w *wish, policies *policy.Snapshot) *denial {
	if d := permitted(w.class, w.field, policies.Tenancy(namespace)); d != nil {
		return d
	}
	return exists(w, policies)
}

func exists(w *wish, policies *policy.Snapshot) *denial {
	class, err := policies.Class(w.class)
	switch {
	case err != nil:
		return noClass(w.class, w.field, err)
	case class.Terminating():
		return classGoing(w.class, w.field)
	}
	return nil
}
