//go:build !linux

package controlplane

import "syscall"

// diesWithParent can promise nothing here: only Linux ends children whose parent
// was killed. Every orderly way out ends them all the same.
func diesWithParent(attributes *syscall.SysProcAttr) *syscall.SysProcAttr { return attributes }

// livesIn cannot tell here where a process works, so any alive one is it.
func livesIn(pid int, _ string) bool { return syscall.Kill(pid, 0) == nil }
