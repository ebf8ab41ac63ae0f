package controlplane

import (
	"context"
	"fmt"
	"slices"
)

// Run starts a program beside the control plane and returns when it is ready. It
// is asked to end, by SIGTERM, before the components are ended. It works in the
// control plane's directory, so its arguments name files absolutely.
func (cp *ControlPlane) Run(ctx context.Context, process Process) error {
	started, err := cp.begin(process)
	if err != nil {
		return err
	}
	if err := started.awaitReady(ctx); err != nil {
		started.kill()
		cp.KeepLogs()
		return err
	}
	cp.say("%s is ready", process.Name)
	return nil
}

// begin launches a process and enters it into the list, in the place of an
// earlier one of its name.
func (cp *ControlPlane) begin(process Process) (*running, error) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.over {
		return nil, fmt.Errorf("start %s: the control plane has been stopped", process.Name)
	}
	place := slices.IndexFunc(cp.processes, func(r *running) bool { return r.Name == process.Name })
	if place >= 0 && cp.processes[place].alive() {
		return nil, fmt.Errorf("start %s: it runs already", process.Name)
	}
	cp.releasePorts(process.Name)
	started, err := cp.launch(process)
	if err != nil {
		return nil, err
	}
	if place >= 0 {
		cp.processes[place] = started
	} else {
		cp.processes = append(cp.processes, started)
	}
	go cp.report(started)
	return started, cp.writeState()
}

func (cp *ControlPlane) releasePorts(name string) {
	if reserved, ok := cp.ports[name]; ok {
		reserved.release()
	}
	if name == Etcd {
		cp.ports[etcdPeer].release()
	}
}

// report says at once when a process ends without having been asked to; Stop
// makes an error of it.
func (cp *ControlPlane) report(process *running) {
	<-process.ended
	if err := process.death(); err != nil {
		cp.say("%v", err)
	}
}
