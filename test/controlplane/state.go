package controlplane

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// stateFile remembers, in the control plane's directory, what runs, so that
// another process can end it.
const stateFile = "state.json"

type state struct {
	Processes []processState `json:"processes"`
}

type processState struct {
	Name string `json:"name"`
	PID  int    `json:"pid"`
}

// writeState is called with the lock held, at each start of a process: a start
// that is cut short can be cleaned up too.
func (cp *ControlPlane) writeState() error {
	var now state
	for _, process := range cp.processes {
		now.Processes = append(now.Processes, processState{Name: process.Name, PID: process.command.Process.Pid})
	}
	content, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return fmt.Errorf("write the state of the control plane: %w", err)
	}
	if err := os.WriteFile(cp.path(stateFile), content, 0o600); err != nil {
		return fmt.Errorf("write the state of the control plane: %w", err)
	}
	return nil
}

func readState(dir string) (state, error) {
	var found state
	content, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err != nil {
		return found, fmt.Errorf("find a control plane in %s: %w", dir, err)
	}
	if err := json.Unmarshal(content, &found); err != nil {
		return found, fmt.Errorf("read the state of the control plane in %s: %w", dir, err)
	}
	return found, nil
}

// Stop ends a detached control plane, from any process, and removes its
// directory. The error is an os.ErrNotExist when there is none.
func Stop(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the control plane: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	found, err := readState(dir)
	if err != nil {
		return err
	}
	for _, process := range slices.Backward(found.Processes) {
		if err := endProcess(process, dir); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the directory of the control plane: %w", err)
	}
	return nil
}

// endProcess ends one that need not be a child of this process: it can only look
// whether it is still there.
func endProcess(process processState, dir string) error {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	if slices.Contains(Everything(), process.Name) {
		signals = signals[1:]
	}
	for _, signal := range signals {
		if !livesIn(process.PID, dir) {
			return nil
		}
		if err := syscall.Kill(process.PID, signal); err != nil {
			return fmt.Errorf("end %s (process %d): %w", process.Name, process.PID, err)
		}
		for deadline := time.Now().Add(courtesy); livesIn(process.PID, dir) && time.Now().Before(deadline); {
			time.Sleep(interval)
		}
	}
	if livesIn(process.PID, dir) {
		return fmt.Errorf("end %s (process %d): it is still there %s after SIGKILL", process.Name, process.PID, courtesy)
	}
	return nil
}
