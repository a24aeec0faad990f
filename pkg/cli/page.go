package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// helpWidth is where help is broken into lines if the terminal is not known or
// very wide.
const helpWidth = 100

// helpPage is a page of help that is being written.
type helpPage struct {
	text  strings.Builder
	width int // characters
}

// begin is the answer to memory alone: the commands that matter first.
func begin(app *cli.App) {
	page := helpPage{width: helpWidth}
	var first []row
	for _, name := range []string{"remember", "recall", "open"} {
		one := app.Command(name)
		arguments, _, _ := strings.Cut(one.ArgsUsage, " |") // the one to begin with
		first = append(first, row{strings.TrimSpace(app.Name + " " + name + " " + arguments), one.Usage})
	}
	page.line("%s %s - %s", app.Name, app.Version, app.Usage)
	page.rows("Begin with", first, widestOf(first))
	page.line("\n%s --help lists all commands.", app.Name)
	_, _ = io.WriteString(app.Writer, page.text.String())
}

func (h *helpPage) command(one *cli.Command) {
	h.paragraphs(fmt.Sprintf("%s - %s", one.HelpName, one.Usage))
	usage := "\nUsage: " + one.HelpName
	switch {
	case len(one.Subcommands) > 0 && len(one.VisibleFlags()) > 1: // not only --help: it does something alone, too
		usage += " [COMMAND]"
	case len(one.Subcommands) > 0:
		usage += " COMMAND"
	}
	if len(one.VisibleFlags()) > 0 {
		usage += " [OPTIONS]"
	}
	h.line("%s", strings.TrimRight(usage+" "+one.ArgsUsage, " "))
	if commands := commandRows(one.Subcommands); len(commands) > 0 {
		h.rows("Commands", commands, widestOf(commands))
	}
	var options []row
	for _, flag := range one.VisibleFlags() {
		name, usage := optionOf(flag)
		options = append(options, row{name, usage})
	}
	h.rows("Options", options, widestOf(options))
	if one.Description != "" {
		h.line("")
		h.paragraphs(one.Description)
	}
}

// row is a command or an option, with its meaning.
type row struct{ name, meaning string }

func commandRows(commands []*cli.Command) (all []row) {
	for _, command := range commands {
		all = append(all, row{command.Name, command.Usage})
	}
	return all
}

func widestOf(rows []row) (widest int) {
	for _, one := range rows {
		widest = max(widest, len(one.name))
	}
	return widest
}

func (h *helpPage) line(format string, args ...any) {
	_, _ = fmt.Fprintf(&h.text, format+"\n", args...)
}

// rows writes names and their meanings below a heading, in lines that fit.
func (h *helpPage) rows(heading string, rows []row, widest int) {
	h.line("\n%s", heading)
	indent := 2 + widest + 2
	for _, one := range rows {
		lines := terminal.Wrapped(one.meaning, h.width-indent, uniseg.StringWidth)
		h.line("  %-*s  %s", widest, one.name, lines[0])
		for _, line := range lines[1:] {
			h.line("%*s%s", indent, "", line)
		}
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
