package main

import (
	"github.com/spf13/cobra"
)

func newBinary() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "binary",
		Short: "Convert and find binary affinity values",
		Long: `Convert binary affinity values that are written with weights, and find those that
are stored. A Pod asks by the annotation affinity.cozystack.io/binary; its form
with weights is accepted for one more release.`,
	}
	cmd.AddCommand(newConvert(), newFind())
	return cmd
}
