package controlplane

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// diesWithParent makes the kernel kill the child when the thread that started it
// ends; see spawner.
func diesWithParent(attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	attributes.Pdeathsig = syscall.SIGKILL
	return attributes
}

// livesIn says whether the process is alive and works in this directory: a number
// taken over by another process since, and a dead one not yet reaped, are not.
func livesIn(pid int, dir string) bool {
	where, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	return err == nil && strings.TrimSuffix(where, " (deleted)") == dir
}
