package controlplane

import (
	"os/exec"
	"runtime"
)

// A spawner starts processes from one thread that lives as long as it does. The
// kernel's "end with the parent" is bound to the thread that made the child, not
// to its process, and Go ends threads as it likes.
type spawner struct {
	requests chan func()
}

func newSpawner() *spawner {
	s := &spawner{requests: make(chan func())}
	go func() {
		// Never unlocked: the thread ends with this goroutine.
		runtime.LockOSThread()
		for request := range s.requests {
			request()
		}
	}()
	return s
}

func (s *spawner) start(command *exec.Cmd) error {
	result := make(chan error, 1)
	s.requests <- func() { result <- command.Start() }
	return <-result
}

// close ends the thread, and with it whatever still runs of what it started.
func (s *spawner) close() { close(s.requests) }
