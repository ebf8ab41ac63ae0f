package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// groups makes every command that only has others below it refuse a word that is none
// of them. Left to itself the library shows help and ends well, and a slip of the pen
// in a pipeline would pass.
func groups(cmd *cobra.Command) {
	if !cmd.HasSubCommands() {
		return
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownVerb(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, verb := range cmd.Commands() {
		groups(verb)
		if verb.Name() == "help" {
			verb.Args = helpTopic
		}
	}
}

// helpTopic refuses help on a verb that there is not.
func helpTopic(cmd *cobra.Command, args []string) error {
	verb, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) > 0 {
		return unknownVerb(verb, rest[0])
	}
	return err
}

func unknownVerb(cmd *cobra.Command, word string) error {
	text := fmt.Sprintf("unknown command %q for %q", word, cmd.CommandPath())
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return fmt.Errorf("%s; did you mean %q?", text, near[0])
	}
	return fmt.Errorf("%s; %s --help lists them", text, cmd.CommandPath())
}

// badFlag names the verb that there is not, rather than a flag that it was given.
func badFlag(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return unknownVerb(cmd, words[0])
	}
	return err
}

// filesByFlag refuses arguments of a verb that takes files.
func filesByFlag(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: name files with -f", args[0])
	}
	return nil
}

// namespaceByFlag refuses arguments of a verb that takes a namespace.
func namespaceByFlag(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: for a namespace use -n %s", args[0], args[0])
	}
	return nil
}

// objectOf is the object that arguments name, as KIND/NAME or KIND NAME; "" for none.
func objectOf(args []string) (string, error) {
	switch {
	case len(args) == 0:
		return "", nil
	case len(args) == 1:
		return args[0], nil
	case len(args) == 2 && !strings.Contains(args[0]+args[1], "/"):
		return args[0] + "/" + args[1], nil
	default:
		return "", fmt.Errorf("%q: name one object, as KIND/NAME or KIND NAME", strings.Join(args, " "))
	}
}

// oneName is a name of a kind that the verb knows by itself, with or without the kind
// before it: NAME, node/NAME.
func oneName(args []string, kinds ...string) string {
	if len(args) == 0 {
		return ""
	}
	for _, kind := range kinds {
		if name, ok := strings.CutPrefix(args[0], kind+"/"); ok {
			return name
		}
	}
	return args[0]
}

var errNoObject = errors.New("name an object as KIND/NAME, such as pod/web-0 or deployment.apps/web")
