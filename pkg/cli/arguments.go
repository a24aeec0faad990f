package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves a command's flags before its arguments, and the program's own flags before the command's name, because the library stops parsing
// flags at the first argument. Unknown flags and words after "--" keep their places. An argument that begins with "- " is a line copied from a list,
// not a flag. A command whose help is asked for loses its arguments, which the library would take for the names of commands.
func flagsFirst(app *cli.App, args []string) []string {
	var shared, front, words []string
	commands, flags, named := app.Commands, []cli.Flag(nil), (*cli.Command)(nil)
	rest := args[min(1, len(args)):]
	if len(rest) > 1 && (rest[0] == "help" || rest[0] == "h") {
		rest = append(slices.Clone(rest[1:]), "--help")
	}
	for len(rest) > 0 {
		if rest[0] == "--" {
			words = append(words, rest...)
			break
		}
		if isFirst := len(front)+len(words) == 0; isFirst && rest[0] == "consolidate" { // old scripts leave "daemon" out
			rest = slices.Concat([]string{"daemon"}, rest)
		} else if isFirst && rest[0] == "agent" { // or call it the agent
			rest = slices.Concat([]string{"daemon"}, rest[1:])
		}
		isOwn, takesValue := flagOf(flags, rest[0])
		isShared, sharedTakesValue := flagOf(app.Flags, rest[0])
		taken := 1
		if (takesValue || !isOwn && sharedTakesValue) && len(rest) > 1 {
			taken = 2
		}
		command := commandNamed(commands, rest[0])
		switch {
		case isOwn:
			front, commands = append(front, rest[:taken]...), nil
		case isShared:
			shared = append(shared, rest[:taken]...)
		case command != nil:
			front, commands, flags, named = append(front, rest[0]), command.Subcommands, command.Flags, command
		case strings.HasPrefix(rest[0], "- ") && len(words) == 0:
			words, commands = append(words, "--", rest[0]), nil
		default:
			words, commands = append(words, rest[0]), nil
		}
		rest = rest[taken:]
	}
	isHelp := func(word string) bool { return word == "--help" || word == "-h" }
	switch {
	case len(words) == 0 || !slices.ContainsFunc(front, isHelp):
	case named == nil || named.ArgsUsage == "" && len(named.Subcommands) > 0: // the first word is no command: the error says so
		front = slices.DeleteFunc(front, isHelp)
	default:
		words = nil
	}
	return slices.Concat(args[:min(1, len(args))], shared, front, words)
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, command := range commands {
		if command.HasName(name) {
			return command
		}
	}
	return nil
}

// flagOf reports whether a word is one of the flags, and whether the flag's value is the next word.
func flagOf(flags []cli.Flag, word string) (isFlag, takesValue bool) {
	if !strings.HasPrefix(word, "-") {
		return false, false
	}
	name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if name == "help" || name == "h" {
		return true, false
	}
	for _, flag := range flags {
		if slices.Contains(flag.Names(), name) {
			_, isBool := flag.(*cli.BoolFlag)
			return true, !isBool && !hasValue
		}
	}
	return false, false
}
