// Command affinityctl takes the admission server's decisions from a shell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// The exit codes, the same for every verb.
const (
	exitNo       = 1 // the answer is no
	exitBad      = 2 // the question was bad
	exitCapacity = 3 // there is no room now
	exitCluster  = 4 // the cluster could not be read
)

// exit is an error that ends the program with its code.
type exit struct {
	code int
	err  error // nil when all has been said
}

func (e exit) Error() string { return fmt.Sprint(e.err) }

func badQuestion(err error) error { return exit{code: exitBad, err: err} }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log.SetLogger(logr.Discard())          // the client library complains, at length, of having none
	slog.SetLogLoggerLevel(slog.LevelWarn) // Helm's library tells of every link that it follows
	code := run(ctx, called(newRoot(), os.Args[0]), os.Stderr)
	stop()
	os.Exit(code)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "affinityctl",
		Short:         "Ask the affinity webhook's questions of files and clusters",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newCheck(), newClasses(), newPreview(), newNodes(), newBinary(), newDrain(), newReference())
	root.AddCommand(newLineage())
	root.AddCommand(newWhy())
	root.AddCommand(newAudit())
	root.AddCommand(newVersion())
	return root
}

// called makes the help call the program as its user does: kubectl runs a plugin by
// the name kubectl-affinity for "kubectl affinity".
func called(root *cobra.Command, program string) *cobra.Command {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		as := "kubectl " + plugin
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: as}
		rename(root, root.Name()+" ", as+" ")
	}
	return root
}

// rename changes how examples call the program.
func rename(cmd *cobra.Command, from, to string) {
	cmd.Example = strings.ReplaceAll(cmd.Example, from, to)
	for _, verb := range cmd.Commands() {
		rename(verb, from, to)
	}
}

// run executes a command and gives its exit code; what cobra itself refuses is a
// bad question.
func run(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	groups(root)
	root.SetFlagErrorFunc(badFlag)
	if err := completions(root); err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return exitBad
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var end exit
	if !errors.As(err, &end) {
		end = exit{code: exitBad, err: err}
	}
	if end.err != nil {
		fmt.Fprintf(stderr, "error: %v\n", end.err)
	}
	return end.code
}
