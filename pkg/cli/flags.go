package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// usageError is a mistake in the command line.
type usageError struct{ Err error }

// Error is the message of the wrapped error.
func (u usageError) Error() string { return u.Err.Error() }

// Unwrap is the wrapped error.
func (u usageError) Unwrap() error { return u.Err }

// usagef makes a usageError, as fmt.Errorf makes an error.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// examplesTitle stands before the examples at the end of a description.
const examplesTitle = "Examples:\n"

// described is the description of a command with examples of its use, each a
// command line.
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

// sharedFlags are those of every command.
func sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"},
	}
}

// defaultLimit is how many rows a list has unless somebody asks for more.
const defaultLimit = 20

// limitFlag is --limit.
func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows; 0: all", Value: defaultLimit}
}

// reasonFlag is --reason.
func reasonFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "reason", Usage: usage} }

// kindsFlag is --kind.
func kindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// allKinds are those that can be asked for.
var allKinds = append(memory.Kinds(), memory.KindTurn)

// kindsOf reads --kind; none means all kinds.
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

// limitOf reads --limit.
func limitOf(c *cli.Context) (int, error) {
	limit := c.Int("limit")
	if limit < 0 {
		return 0, usagef("limit %d: give how many rows to list, or 0 for all", limit)
	}
	return cmp.Or(limit, everyRow), nil
}

// everyRow is more rows than any list has: one message of the daemon, 16 MB, holds about
// 20,000 memories.
const everyRow = 20_000
