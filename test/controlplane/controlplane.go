package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ControlPlane is one that runs. Its methods may be called concurrently.
type ControlPlane struct {
	dir       string
	options   Options
	authority *Authority
	ports     map[string]*port
	spawner   *spawner
	began     time.Time

	mu        sync.Mutex
	processes []*running // in the order of their start
	keep      bool
	over      bool

	stop    sync.Once
	stopped chan struct{}
	result  error // of Stop; to be read after stopped
}

// Start returns when every component is ready, the default namespace takes Pods
// and the default StorageClass exists. The context bounds the start alone. When
// it fails, what was started is ended and the logs are kept; the error shows
// where and how the log at fault ends.
//
// An interrupt or SIGTERM stops the control plane and then ends this process in
// the way the signal does by default. After a crash or SIGKILL the
// kernel ends the components (on Linux), and the directory stays.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	cp, err := prepare(options.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("prepare the control plane: %w", err)
	}
	release := cp.stopOnSignal()
	if err := cp.boot(ctx); err != nil {
		cp.KeepLogs()
		return nil, errors.Join(fmt.Errorf("start the control plane: %w", err), cp.Stop())
	}
	if cp.options.Detach {
		release()
	}
	cp.say("ready: KUBECONFIG=%s", cp.Kubeconfig())
	return cp, nil
}

func prepare(options Options) (*ControlPlane, error) {
	for _, component := range options.Components {
		if _, err := Binary(component); err != nil {
			return nil, err
		}
	}
	dir, err := makeDir(options.Dir)
	if err != nil {
		return nil, err
	}
	authority, err := NewAuthority("controlplane")
	if err != nil {
		return nil, err
	}
	cp := &ControlPlane{
		dir:       dir,
		options:   options,
		authority: authority,
		ports:     map[string]*port{},
		spawner:   newSpawner(),
		began:     time.Now(),
		stopped:   make(chan struct{}),
	}
	for _, server := range servers() {
		if cp.ports[server], err = reservePort(); err != nil {
			return nil, err
		}
	}
	return cp, errors.Join(cp.writeFiles(), cp.writeState())
}

// makeDir resolves symlinks, so that the directory is known by the name under
// which the kernel shows it.
func makeDir(wanted string) (string, error) {
	if wanted == "" {
		dir, err := os.MkdirTemp("", "affinityclass-controlplane-")
		if err != nil {
			return "", fmt.Errorf("make a temporary directory: %w", err)
		}
		return filepath.EvalSymlinks(dir)
	}
	if err := os.MkdirAll(wanted, 0o700); err != nil {
		return "", fmt.Errorf("make the directory of the control plane: %w", err)
	}
	entries, err := os.ReadDir(wanted)
	if err != nil {
		return "", fmt.Errorf("look into the directory of the control plane: %w", err)
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("directory %s is not empty: another control plane may run there, stop it first", wanted)
	}
	absolute, err := filepath.Abs(wanted)
	if err != nil {
		return "", fmt.Errorf("find the directory of the control plane: %w", err)
	}
	return filepath.EvalSymlinks(absolute)
}

// boot starts in two waves: all that follow the API server give up when it is
// not there within seconds.
func (cp *ControlPlane) boot(ctx context.Context) error {
	if err := cp.startComponents(ctx, Etcd, APIServer); err != nil {
		return err
	}
	if err := cp.startComponents(ctx, ControllerManager, Scheduler, Kwok); err != nil {
		return err
	}
	return cp.furnish(ctx)
}

func (cp *ControlPlane) startComponents(ctx context.Context, names ...string) error {
	var started []*running
	for _, name := range names {
		if !cp.options.has(name) {
			continue
		}
		process, err := cp.component(name)
		if err != nil {
			return err
		}
		component, err := cp.begin(process)
		if err != nil {
			return err
		}
		started = append(started, component)
	}
	for _, component := range started {
		if err := component.awaitReady(ctx); err != nil {
			return err
		}
		cp.say("%s is ready", component.Name)
	}
	return nil
}

func (cp *ControlPlane) say(format string, values ...any) {
	fmt.Fprintf(cp.options.Log, "control plane %5.1fs  %s\n", time.Since(cp.began).Seconds(), fmt.Sprintf(format, values...))
}
