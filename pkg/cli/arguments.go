package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags of a command before its arguments, because the library
// stops parsing flags at the first argument. Words after "--" and unknown flags stay
// where they are.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	commands, flags, at := app.Commands, []cli.Flag(nil), 1
	for at < len(args) {
		command := commandNamed(commands, args[at])
		if command == nil {
			break
		}
		commands, flags = command.Subcommands, command.Flags
		at++
	}
	front, rest := args[:at:at], args[at:]
	var words []string
	for i := 0; i < len(rest); i++ {
		if rest[i] == "--" {
			words = append(words, rest[i:]...)
			break
		}
		flag, takesValue := flagOf(flags, rest[i])
		switch {
		case !flag:
			words = append(words, rest[i])
		case takesValue && i+1 < len(rest):
			front = append(front, rest[i], rest[i+1])
			i++
		default:
			front = append(front, rest[i])
		}
	}
	return append(front, words...)
}

// commandNamed finds a command by one of its names; nil if there is none.
func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, command := range commands {
		if command.HasName(name) {
			return command
		}
	}
	return nil
}

// flagOf reports whether a word is one of the flags, and whether its value is the
// next word.
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
