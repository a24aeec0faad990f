package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// UsageError is a mistake in the command line.
type UsageError struct{ Err error }

// Error is the message of the wrapped error.
func (u UsageError) Error() string { return u.Err.Error() }

// Unwrap is the wrapped error.
func (u UsageError) Unwrap() error { return u.Err }

// Usagef makes a UsageError, as fmt.Errorf makes an error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Examples stands before the examples at the end of a description.
const Examples = "Examples:\n"

// Described is the description of a command with examples of its use, each a
// command line.
func Described(text string, lines ...string) string {
	var all strings.Builder
	if text != "" {
		all.WriteString(text + "\n\n")
	}
	all.WriteString(Examples)
	for _, line := range lines {
		all.WriteString("  " + line + "\n")
	}
	return strings.TrimSuffix(all.String(), "\n")
}

// OptionOf is a flag as it is written, and its meaning.
func OptionOf(flag cli.Flag) (name, usage string) {
	documented, is := flag.(cli.DocGenerationFlag)
	if !is {
		return "--" + flag.Names()[0], ""
	}
	placeholder, usage := unquoted(documented.GetUsage())
	name = "--" + flag.Names()[0]
	if !documented.TakesValue() {
		return name, usage
	}
	if placeholder == "" {
		placeholder = "VALUE"
	}
	standard := documented.GetDefaultText()
	if text, isText := flag.(*cli.StringFlag); isText && text.DefaultText == "" {
		standard = text.Value
	}
	if number, isNumber := flag.(*cli.Float64Flag); isNumber && number.Value == 0 {
		standard = "" // it is not set
	}
	if standard != "" {
		usage += " (default: " + standard + ")"
	}
	return name + " " + placeholder, usage
}

// unquoted takes the placeholder, which stands in backquotes, out of a usage.
func unquoted(usage string) (placeholder, text string) {
	before, rest, found := strings.Cut(usage, "`")
	placeholder, after, closed := strings.Cut(rest, "`")
	if !found || !closed {
		return "", usage
	}
	return placeholder, before + placeholder + after
}

// JSONFlag is --json.
func JSONFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

// ProjectFlag is --project.
func ProjectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"}
}

// DefaultLimit is how many rows a list has unless somebody asks for more.
const DefaultLimit = 20

// LimitFlag is --limit.
func LimitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows", Value: DefaultLimit}
}

// ReasonFlag is --reason.
func ReasonFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "reason", Usage: usage} }

// KindsFlag is --kind.
func KindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// Kinds are those that can be asked for.
var Kinds = slices.Concat(memory.SearchableKinds(), memory.RecordKinds())

// KindsOf reads --kind; none means all kinds.
func KindsOf(c *cli.Context) ([]memory.Kind, error) {
	var wanted []memory.Kind
	for _, name := range c.StringSlice("kind") {
		if !slices.Contains(Kinds, memory.Kind(name)) {
			return nil, Usagef("there is no kind %q; there are %s", name, Joined(Kinds, ", "))
		}
		wanted = append(wanted, memory.Kind(name))
	}
	return wanted, nil
}

// Joined puts a separator between names.
func Joined[T ~string](names []T, separator string) string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, string(name))
	}
	return strings.Join(all, separator)
}

// LimitOf reads --limit.
func LimitOf(c *cli.Context) (int, error) {
	if limit := c.Int("limit"); limit >= 1 {
		return limit, nil
	}
	return 0, Usagef("limit %d: at least 1 row is listed", c.Int("limit"))
}

// EveryRow is more rows than any list has: one message of the agent, 16 MB, holds about
// 20,000 memories.
const EveryRow = 20_000
