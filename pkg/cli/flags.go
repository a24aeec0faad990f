package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// usageError is a mistake in the command line; exitCode maps it to an exit code of its own.
type usageError struct{ Err error }

// Error returns the message of the wrapped error.
func (u usageError) Error() string { return u.Err.Error() }

// Unwrap returns the wrapped error.
func (u usageError) Unwrap() error { return u.Err }

// usagef returns a usageError, formatted as by fmt.Errorf.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// examplesTitle stands before the examples at the end of a description.
const examplesTitle = "Examples:\n"

// described returns a command's description with examples of its use, each a command line.
func described(text string, lines ...string) string {
	var all strings.Builder
	if text != "" {
		all.WriteString(text + "\n\n")
	}
	all.WriteString(examplesTitle)
	for _, line := range lines {
		all.WriteString("  " + line + "\n")
	}
	return strings.TrimSuffix(all.String(), "\n")
}

// sharedFlags returns the flags of every command.
func sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"},
	}
}

// defaultLimit is how many rows a list has unless the user asks for more.
const defaultLimit = 20

func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows; 0: all", Value: defaultLimit}
}

func kindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// allKinds are the kinds that --kind accepts.
var allKinds = append(memory.Kinds(), memory.KindTurn)

// kindsOf reads --kind. No kinds mean all kinds; an unknown kind is an error.
func kindsOf(c *cli.Context) ([]memory.Kind, error) {
	var wanted []memory.Kind
	for _, name := range c.StringSlice("kind") {
		if !slices.Contains(allKinds, memory.Kind(name)) {
			return nil, usagef("there is no kind %q; there are %s", name, joined(allKinds, ", "))
		}
		wanted = append(wanted, memory.Kind(name))
	}
	return wanted, nil
}

// joined puts a separator between names.
func joined[T ~string](names []T, separator string) string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, string(name))
	}
	return strings.Join(all, separator)
}

// limitOf reads --limit. It returns everyRow for 0, and fails for a negative number.
func limitOf(c *cli.Context) (int, error) {
	limit := c.Int("limit")
	if limit < 0 {
		return 0, usagef("limit %d: give how many rows to list, or 0 for all", limit)
	}
	return cmp.Or(limit, everyRow), nil
}

// everyRow is a limit that no list reaches: one message of the daemon, 16 MB, holds about 20,000 memories.
const everyRow = 20_000
