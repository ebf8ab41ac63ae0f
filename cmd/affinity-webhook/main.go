// Command affinity-webhook is the admission server: it reads in order what it is
// made of, wires it, and starts.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := newCommand().ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintf(os.Stderr, "affinity-webhook: %v\n", err)
		os.Exit(1)
	}
}
