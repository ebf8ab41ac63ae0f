package controlplane

import (
	"context"
	"fmt"
	"syscall"
)

// Kill ends a component, or a program started by Run, at once, as a crash would.
// Restart brings it back.
func (cp *ControlPlane) Kill(name string) error {
	process, err := cp.find(name)
	if err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	process.kill()
	cp.say("%s was killed", name)
	return nil
}

// Terminate asks a component or program to end, by SIGTERM, and returns when it
// is gone.
func (cp *ControlPlane) Terminate(name string) error {
	process, err := cp.find(name)
	if err != nil {
		return fmt.Errorf("terminate %s: %w", name, err)
	}
	process.terminate()
	cp.say("%s was terminated", name)
	return nil
}

// Restart starts it again as it was first started, on the same port and data,
// after ending it if it still runs, and returns when it is ready.
func (cp *ControlPlane) Restart(ctx context.Context, name string) error {
	process, err := cp.find(name)
	if err != nil {
		return fmt.Errorf("restart %s: %w", name, err)
	}
	if process.alive() {
		process.terminate()
	}
	return cp.Run(ctx, process.Process)
}

// Pause stops it from doing anything while its connections stay open: from the
// outside it is slow without end.
func (cp *ControlPlane) Pause(name string) error { return cp.signal(name, syscall.SIGSTOP) }

// Resume takes Pause back.
func (cp *ControlPlane) Resume(name string) error { return cp.signal(name, syscall.SIGCONT) }

func (cp *ControlPlane) signal(name string, signal syscall.Signal) error {
	process, err := cp.find(name)
	if err != nil {
		return fmt.Errorf("send %v to %s: %w", signal, name, err)
	}
	if err := process.command.Process.Signal(signal); err != nil {
		return fmt.Errorf("send %v to %s: %w", signal, name, err)
	}
	return nil
}

func (cp *ControlPlane) find(name string) (*running, error) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	for _, process := range cp.processes {
		if process.Name == name {
			return process, nil
		}
	}
	return nil, fmt.Errorf("it was never started")
}
