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
}

func (o Options) profile() Profile {
	if o.Profile == "" {
		return LeastLoaded
	}
	return o.Profile
}
