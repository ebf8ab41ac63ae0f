package controlplane

import (
	"io"
	"slices"
	"time"
)

// The components, in the order in which they are started. Each is also the name
// of its program and the name by which Kill, Pause and the others know it.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// patience is how long one program may take to become ready. Far more than it
// needs (seconds): a machine busy with compilation is no failure.
const patience = 3 * time.Minute

// Options say what is started. The zero value is the whole control plane in a
// temporary directory, silent, attached to the process that starts it.
type Options struct {
	// Dir is made for the control plane and removed when it stops; it must be
	// missing or empty. Empty means a new temporary directory.
	Dir string
	// Components to start; empty means Everything().
	Components []string
	// Flags are added to a component's own, by component; the last one wins.
	Flags map[string][]string
	// Log gets a line for each step; nil means nowhere.
	Log io.Writer
	// Audit makes the API server write every request to AuditLog, at level
	// Metadata, annotations included.
	Audit bool
	// Detach leaves everything running when the process ends. Stop(Dir) ends it,
	// from any process. Until Start has returned, it ends like any other.
	Detach bool
}

// Everything is the whole control plane.
func Everything() []string {
	return []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok}
}

// APIOnly is an API server with its etcd: no controllers, no nodes come alive.
func APIOnly() []string { return []string{Etcd, APIServer} }

func (o Options) withDefaults() Options {
	if len(o.Components) == 0 {
		o.Components = Everything()
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	return o
}

func (o Options) has(component string) bool { return slices.Contains(o.Components, component) }
