package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// examples stands before the examples at the end of a description.
const examples = "Examples:\n"

// described is the description of a command with examples of its use, each a
// command line.
func described(text string, lines ...string) string {
	var all strings.Builder
	if text != "" {
		all.WriteString(text + "\n\n")
	}
	all.WriteString(examples)
	for _, line := range lines {
		all.WriteString("  " + line + "\n")
	}
	return strings.TrimSuffix(all.String(), "\n")
}

// helpWidth is where help is broken into lines if the terminal is not known or
// very wide.
const helpWidth = 100

// printHelp writes the help of the program or of a command: what the library
// prints has one long line for each command and no groups.
func (p *program) printHelp(w io.Writer, _ string, data any) {
	width := helpWidth
	if p.width > 0 {
		width = min(p.width, helpWidth)
	}
	page := helpPage{width: width}
	switch what := data.(type) {
	case *cli.App:
		page.program(what, p.groups())
	case *cli.Command:
		page.command(what)
	}
	_, _ = io.WriteString(w, page.text.String())
}

// helpPage is a page of help that is being written.
type helpPage struct {
	text  strings.Builder
	width int // characters
}

func (h *helpPage) program(app *cli.App, groups []group) {
	h.line("%s - %s", app.Name, app.Usage)
	h.line("\nUsage: %s COMMAND [OPTIONS] [ARGUMENTS]", app.Name)
	widest := 0
	for _, group := range groups {
		for _, command := range group.commands {
			widest = max(widest, len(command.Name))
		}
	}
	for _, group := range groups {
		h.line("\n%s", group.name)
		for _, command := range group.commands {
			h.row(command.Name, command.Usage, widest)
		}
	}
	h.line("")
	h.paragraphs(fmt.Sprintf("%s COMMAND --help describes a command and has examples; %s --version prints %s.\n%s", app.Name, app.Name, app.Version, app.Description))
}

func (h *helpPage) command(command *cli.Command) {
	h.paragraphs(fmt.Sprintf("%s - %s", command.HelpName, command.Usage))
	usage := "\nUsage: " + command.HelpName
	if len(command.Subcommands) > 0 {
		usage += " COMMAND"
	}
	if len(command.VisibleFlags()) > 0 {
		usage += " [OPTIONS]"
	}
	h.line("%s", strings.TrimRight(usage+" "+command.ArgsUsage, " "))
	if len(command.Subcommands) > 0 {
		h.line("\nCommands")
		h.subcommands(command.Subcommands)
	}
	h.options(command.VisibleFlags())
	if command.Description != "" {
		h.line("")
		h.paragraphs(command.Description)
	}
}

func (h *helpPage) subcommands(commands []*cli.Command) {
	widest := 0
	for _, command := range commands {
		widest = max(widest, len(command.Name))
	}
	for _, command := range commands {
		h.row(command.Name, command.Usage, widest)
	}
}

func (h *helpPage) options(flags []cli.Flag) {
	type option struct{ name, usage string }
	var options []option
	widest := 0
	for _, flag := range flags {
		name, usage := optionOf(flag)
		options, widest = append(options, option{name, usage}), max(widest, len(name))
	}
	h.line("\nOptions")
	for _, one := range options {
		h.row(one.name, one.usage, widest)
	}
}

// optionOf is a flag as it is written, and what it means.
func optionOf(flag cli.Flag) (name, usage string) {
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

func (h *helpPage) line(format string, args ...any) {
	_, _ = fmt.Fprintf(&h.text, format+"\n", args...)
}

// row is a name and what it means, in lines that fit.
func (h *helpPage) row(name, meaning string, widest int) {
	indent := 2 + widest + 2
	lines := wrapped(meaning, h.width-indent, uniseg.StringWidth)
	h.line("  %-*s  %s", widest, name, lines[0])
	for _, line := range lines[1:] {
		h.line("%*s%s", indent, "", line)
	}
}

// paragraphs writes lines that fit. What is indented, an example, stays whole.
func (h *helpPage) paragraphs(text string) {
	for paragraph := range strings.Lines(text) {
		paragraph = strings.TrimRight(paragraph, "\n")
		if strings.HasPrefix(paragraph, " ") {
			h.line("%s", paragraph)
			continue
		}
		h.line("%s", strings.Join(wrapped(paragraph, h.width, uniseg.StringWidth), "\n"))
	}
}

// wrapped breaks a text between words into lines of at most that width.
func wrapped(text string, width int, widthOf func(string) int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case widthOf(*last)+1+widthOf(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// otherNames are what people try that is called something else here.
var otherNames = map[string]string{
	"add": "remember", "save": "remember", "store": "remember", "note": "remember", "delete": "forget", "remove": "forget", "rm": "forget",
	"archive": "forget", "find": "search", "grep": "search", "ask": "recall", "ls": "list", "get": "show", "cat": "show", "log": "timeline",
	"why": "explain", "settings": "config", "set": "config set", "start": "agent start", "stop": "agent stop", "logs": "agent logs",
	"install": "install-cli", "health": "doctor", "check": "doctor", "wipe": "purge", "dedup": "consolidate",
}

// nearest is the command that somebody may have meant, or "".
func nearest(name string, commands []*cli.Command) string {
	if other, known := otherNames[name]; known {
		first, _, _ := strings.Cut(other, " ")
		if named(commands, first) != nil {
			return other
		}
	}
	var names []string
	for _, command := range commands {
		names = append(names, command.Names()...)
	}
	return nearestOf(name, names)
}

// nearestOf is the word that somebody may have mistyped, or "". Up to a third of
// its letters may be wrong; the beginning of a word counts as that word.
func nearestOf(name string, words []string) string {
	best, likeness := "", 0.0
	for _, word := range slices.Sorted(slices.Values(words)) {
		if len(name) >= 2 && strings.HasPrefix(word, name) {
			return word
		}
		if smetrics.WagnerFischer(name, word, 1, 1, 1) > max(1, (len(name)+2)/3) {
			continue
		}
		if like := smetrics.JaroWinkler(name, word, 0.7, 4); like > likeness { // it knows of letters that changed places
			best, likeness = word, like
		}
	}
	return best
}

// noCommand says that there is no such command, and which may be meant.
func noCommand(parent, name string, commands []*cli.Command) error {
	full := strings.TrimSpace(parent + " " + name)
	if meant := nearest(name, commands); meant != "" {
		return usagef("there is no command %q; did you mean memory %s?", full, strings.TrimSpace(parent+" "+meant))
	}
	return usagef("there is no command %q; memory %s lists them", full, strings.TrimSpace(parent+" --help"))
}

// flagError says what is wrong with a command line, and which flag may be meant.
func flagError(c *cli.Context, err error) error {
	_, wrong, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !unknown || c.Command == nil {
		return usageError{err}
	}
	var names []string
	for _, flag := range c.Command.Flags {
		names = append(names, flag.Names()[0])
	}
	wrong = strings.TrimLeft(wrong, "-")
	if meant := nearestOf(wrong, names); meant != "" {
		return usagef("there is no option --%s; did you mean --%s?", wrong, meant)
	}
	return usagef("there is no option --%s; %s --help lists them", wrong, c.Command.HelpName)
}
