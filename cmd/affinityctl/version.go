package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which build this is",
		Long:    "Say which build this is: its version, the commit it was made of and the Go that made it.",
		Example: "  affinityctl version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cmd.Root().DisplayName()+" version "+version())
			return err
		},
	}
}

// version is what the toolchain wrote into the program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	text := cmp.Or(info.Main.Version, "unknown")
	if commit := settings["vcs.revision"]; commit != "" {
		text += ", commit " + commit
	}
	if settings["vcs.modified"] == "true" {
		text += " with changes"
	}
	return text + ", " + info.GoVersion
}
