package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
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
