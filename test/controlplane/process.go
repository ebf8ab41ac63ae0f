package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// courtesy is how long a program that was asked to end may take about it.
	courtesy = 10 * time.Second
	// between two questions whether a program is ready.
	interval = 50 * time.Millisecond
	// tail of a log that goes into an error, in bytes.
	tail = 2000
)

// Process is a program that is run beside the control plane, under the same
// care: its output goes to a log, and it ends no later than the control plane.
type Process struct {
	// Name by which Kill, Pause and the others know it; its log is Name.log.
	Name string
	Path string
	Args []string
	// Env is added to this process's own environment.
	Env []string
	// Ready is asked until it returns nil; a nil Ready means ready once started.
	Ready func(context.Context) error
}

// running is a Process that has been started. Once ended, it is replaced by a
// new one, never started again.
type running struct {
	Process
	log     string
	command *exec.Cmd
	ended   chan struct{}
	asked   atomic.Bool
}

// launch starts a process of a control plane. A detached one gets a session of
// its own, so that it outlives the terminal. Any other gets a process group of
// its own, so that Ctrl-C reaches this process alone, which ends the others in
// order; and the kernel ends it if this process dies without having done so.
func (cp *ControlPlane) launch(process Process) (*running, error) {
	path := cp.path(process.Name + ".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", process.Name, err)
	}
	defer log.Close()
	command := exec.Command(process.Path, process.Args...)
	command.Env = append(os.Environ(), process.Env...)
	command.Dir = cp.dir
	command.Stdout, command.Stderr = log, log
	if cp.options.Detach {
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		command.SysProcAttr = diesWithParent(&syscall.SysProcAttr{Setpgid: true})
	}
	if err := cp.spawner.start(command); err != nil {
		return nil, fmt.Errorf("start %s: %w", process.Name, err)
	}
	started := &running{Process: process, log: path, command: command, ended: make(chan struct{})}
	go started.wait()
	return started, nil
}

func (r *running) wait() {
	_ = r.command.Wait() // its outcome is in ProcessState
	close(r.ended)
}

func (r *running) alive() bool {
	select {
	case <-r.ended:
		return false
	default:
		return true
	}
}

// death is an error when it has ended without having been asked to.
func (r *running) death() error {
	if r.alive() || r.asked.Load() {
		return nil
	}
	return fmt.Errorf("%s ended on its own: %v; see %s", r.Name, r.command.ProcessState, r.log)
}

// kill ends it at once and returns when it is gone.
func (r *running) kill() {
	r.asked.Store(true)
	_ = r.command.Process.Kill() // fails only when it has ended already
	<-r.ended
}

// terminate asks it to end, and kills it when it takes too long.
func (r *running) terminate() {
	r.asked.Store(true)
	_ = r.command.Process.Signal(syscall.SIGTERM)
	_ = r.command.Process.Signal(syscall.SIGCONT) // a paused one would never hear of it
	select {
	case <-r.ended:
	case <-time.After(courtesy):
		r.kill()
	}
}

// awaitReady returns when it is ready, or an error that shows the end of its log.
func (r *running) awaitReady(ctx context.Context) error {
	if r.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := r.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-r.ended:
			return fmt.Errorf("%s ended before it was ready (%v): %w\n%s", r.Name, r.command.ProcessState, err, r.logTail())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s to become ready: %w\n%s", r.Name, err, r.logTail())
		case <-time.After(interval):
		}
	}
}

func (r *running) logTail() string {
	content, err := os.ReadFile(r.log)
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(content[max(0, len(content)-tail):]))
	return fmt.Sprintf("%s ends with:\n%s", r.log, text)
}
