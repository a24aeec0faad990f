package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// helpWidth is where help is broken into lines if the terminal is not known or
// very wide.
const helpWidth = 100

// printHelp writes the help of the program or of a command: the library's own has one
// long line for each command and no groups.
func (p *program) printHelp(w io.Writer, _ string, data any) {
	width := helpWidth
	if p.Width > 0 {
		width = min(p.Width, helpWidth)
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
	h.paragraphs(fmt.Sprintf("%s COMMAND --help (or %s help COMMAND) describes a command and has examples; %s version prints %s.\n%s", app.Name, app.Name, app.Name, app.Version, app.Description))
}

func (h *helpPage) command(one *cli.Command) {
	h.paragraphs(fmt.Sprintf("%s - %s", one.HelpName, one.Usage))
	usage := "\nUsage: " + one.HelpName
	if len(one.Subcommands) > 0 {
		usage += " COMMAND"
	}
	if len(one.VisibleFlags()) > 0 {
		usage += " [OPTIONS]"
	}
	h.line("%s", strings.TrimRight(usage+" "+one.ArgsUsage, " "))
	if len(one.Subcommands) > 0 {
		h.line("\nCommands")
		h.subcommands(one.Subcommands)
	}
	h.options(one.VisibleFlags())
	if one.Description != "" {
		h.line("")
		h.paragraphs(one.Description)
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
		name, usage := command.OptionOf(flag)
		options, widest = append(options, option{name, usage}), max(widest, len(name))
	}
	h.line("\nOptions")
	for _, one := range options {
		h.row(one.name, one.usage, widest)
	}
}

func (h *helpPage) line(format string, args ...any) {
	_, _ = fmt.Fprintf(&h.text, format+"\n", args...)
}

// row is a name and its meaning, in lines that fit.
func (h *helpPage) row(name, meaning string, widest int) {
	indent := 2 + widest + 2
	lines := terminal.Wrapped(meaning, h.width-indent, uniseg.StringWidth)
	h.line("  %-*s  %s", widest, name, lines[0])
	for _, line := range lines[1:] {
		h.line("%*s%s", indent, "", line)
	}
}

// paragraphs writes lines that fit. An indented line, an example, stays whole.
func (h *helpPage) paragraphs(text string) {
	for paragraph := range strings.Lines(text) {
		paragraph = strings.TrimRight(paragraph, "\n")
		if strings.HasPrefix(paragraph, " ") {
			h.line("%s", paragraph)
			continue
		}
		h.line("%s", strings.Join(terminal.Wrapped(paragraph, h.width, uniseg.StringWidth), "\n"))
	}
}

// otherNames maps names that people try to the command they mean.
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
		if command.Named(commands, first) != nil {
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
		return command.Usagef("there is no command %q; did you mean memory %s?", full, strings.TrimSpace(parent+" "+meant))
	}
	return command.Usagef("there is no command %q; memory %s lists them", full, strings.TrimSpace(parent+" --help"))
}

// flagError explains an error of a command line, and which flag may be meant.
func flagError(c *cli.Context, err error) error {
	_, wrong, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !unknown || c.Command == nil {
		return command.UsageError{Err: err}
	}
	var names []string
	for _, flag := range c.Command.Flags {
		names = append(names, flag.Names()[0])
	}
	wrong = strings.TrimLeft(wrong, "-")
	if meant := nearestOf(wrong, names); meant != "" {
		return command.Usagef("there is no option --%s; did you mean --%s?", wrong, meant)
	}
	return command.Usagef("there is no option --%s; %s --help lists them", wrong, c.Command.HelpName)
}
