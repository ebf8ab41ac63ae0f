package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// manifests are where the commands of the story run, in the repository.
const manifests = "test/demo/manifests"

// A step is a scene of the story.
type step struct {
	title string
	acts  []act
}

// An act is one command: the sentence about it, and what must come of it.
type act struct {
	says     string
	command  string
	exit     int
	expects  []expect
	patience time.Duration // how long the command is repeated until it holds
}

// do is a command that changes something, run once.
func do(says, command string, expects ...expect) act {
	return act{says: says, command: command, expects: expects}
}

// see is a command that looks, repeated until it shows what is expected:
// controllers need a moment.
func see(says, command string, expects ...expect) act {
	return act{says: says, command: command, expects: expects, patience: time.Minute}
}

// exits is the same act with another exit code than 0.
func (a act) exits(code int) act {
	a.exit = code
	return a
}

func (d *demo) play(ctx context.Context, steps []step) error {
	for i, step := range steps {
		title := fmt.Sprintf("%d of %d. %s", i+1, len(steps), step.title)
		d.screen.title(title)
		for _, act := range step.acts {
			d.screen.says(act.says)
			d.screen.command(act.command)
			output, err := d.attempt(ctx, act)
			d.screen.plain(output)
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted at %q", title)
			}
			if err != nil {
				return fmt.Errorf("the story does not hold at %q: %w", title, err)
			}
		}
	}
	return nil
}

// attempt returns the output that held, or the last one with what is wrong.
func (d *demo) attempt(ctx context.Context, a act) (string, error) {
	const pause = 200 * time.Millisecond
	deadline := time.Now().Add(a.patience)
	for {
		output, err := d.once(ctx, a)
		if err == nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return output, errors.Join(err, ctx.Err())
		}
		time.Sleep(pause)
	}
}

func (d *demo) once(ctx context.Context, a act) (string, error) {
	output, code, err := d.shell(ctx, a.command)
	if err != nil {
		return output, err
	}
	if code != a.exit {
		return output, fmt.Errorf("`%s` exits with %d, not with %d", a.command, code, a.exit)
	}
	for _, expect := range a.expects {
		if err := expect(output); err != nil {
			return output, fmt.Errorf("`%s` shows something else: %w", a.command, err)
		}
	}
	return output, nil
}

// shell runs what the audience would type.
func (d *demo) shell(ctx context.Context, text string) (output string, code int, err error) {
	command := exec.CommandContext(ctx, "sh", "-c", text)
	command.Dir = filepath.Join(d.root, manifests)
	command.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig(),
		"PATH="+strings.Join(append(d.programs(), os.Getenv("PATH")), ":"))
	combined, err := command.CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return string(combined), failed.ExitCode(), nil
	}
	if err != nil {
		return string(combined), 0, fmt.Errorf("run `%s`: %w", text, err)
	}
	return string(combined), 0, nil
}

// programs are the directories of kubectl and affinityctl, which may be two.
func (d *demo) programs() []string {
	places := []string{filepath.Join(d.root, "bin")}
	if path, err := controlplane.Binary("kubectl"); err == nil && !slices.Contains(places, filepath.Dir(path)) {
		places = append(places, filepath.Dir(path))
	}
	return places
}
