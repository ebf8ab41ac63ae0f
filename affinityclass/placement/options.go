package placement

// Options says how to answer. The zero value asks for the default profile, over
// all nodes, each judged up to its first failing stage.
type Options struct {
	// Profile scores the candidates; empty is LeastLoaded.
	Profile Profile
	// Nodes, when not nil, are the only nodes that may be candidates. Nil forces
	// nothing; empty but not nil leaves none.
	Nodes []string
	// Explain judges every node at every stage and fills Preview.Matrix.
	Explain bool
	// Limit, when not 0, is how many steps the requests of one call may cost together,
	// a step being about one look at a node or at a placed Pod. The preview that would
	// cost more is Cut, and those after it are not made. Explain is not counted.
	Limit int64
	// Heard, when not empty, is the one namespace whose placed Pods refuse a request by
	// their own anti-affinity; those of others are taken to refuse nobody. There may be
	// more candidates than kube-scheduler finds, and none of them tells of a term that
	// somebody else wrote.
	Heard string
}

func (o Options) profile() Profile {
	if o.Profile == "" {
		return LeastLoaded
	}
	return o.Profile
}
