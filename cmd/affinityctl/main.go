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
	"syscall"

	"github.com/spf13/cobra"
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
	slog.SetLogLoggerLevel(slog.LevelWarn) // Helm's library tells of every link that it follows
	code := run(ctx, newRoot(), os.Stderr)
	stop()
	os.Exit(code)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "affinityctl",
		Short:         "Ask the affinity webhook's questions of files and clusters",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	root.AddCommand(newCheck(), newClasses(), newPreview(), newNodes(), newBinary())
	return root
}

// run executes a command and gives its exit code; what cobra itself refuses is a
// bad question.
func run(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
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
