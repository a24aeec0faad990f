package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"

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
