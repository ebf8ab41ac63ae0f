package controlplane

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// KeepLogs makes Stop leave the directory with the logs (not the data of etcd):
// call it when a test has failed.
func (cp *ControlPlane) KeepLogs() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.keep = true
}

// Stop ends everything, the last started first and so etcd last, and removes the
// directory. It returns an error when a process had ended without having been
// asked to; the logs are kept then. Calling it again returns the same.
func (cp *ControlPlane) Stop() error {
	cp.stop.Do(func() {
		cp.result = cp.end()
		close(cp.stopped)
	})
	<-cp.stopped
	return cp.result
}

func (cp *ControlPlane) end() error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.over = true
	var deaths []error
	for _, process := range slices.Backward(cp.processes) {
		deaths = append(deaths, process.death())
		// The components are not asked: their data goes away in a moment, and an
		// API server would wait for its watchers to leave.
		if slices.Contains(Everything(), process.Name) {
			process.kill()
		} else {
			process.terminate()
		}
	}
	cp.spawner.close()
	for _, reserved := range cp.ports {
		reserved.release() // those of components that were never started
	}
	died := errors.Join(deaths...)
	cp.keep = cp.keep || died != nil
	return errors.Join(died, cp.clear())
}

func (cp *ControlPlane) clear() error {
	doomed := cp.dir
	if cp.keep {
		doomed = cp.path(etcdData)
		cp.say("the logs are kept in %s", cp.dir)
	}
	if err := os.RemoveAll(doomed); err != nil {
		return fmt.Errorf("remove what the control plane left: %w", err)
	}
	return nil
}

// stopOnSignal returns a function that takes the arrangement back.
func (cp *ControlPlane) stopOnSignal() (release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	released := make(chan struct{})
	go func() {
		defer signal.Stop(signals)
		select {
		case received := <-signals:
			cp.say("stopping: %v", received)
			_ = cp.Stop() // the process ends in the next line and has told what it could
			signal.Reset(received)
			_ = syscall.Kill(os.Getpid(), received.(syscall.Signal))
		case <-released:
		case <-cp.stopped:
		}
	}()
	return func() { close(released) }
}
