package cli

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

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

func (h *helpPage) program(app *cli.App, groups []group) {
	h.line("%s - %s", app.Name, app.Usage)
	h.line("\nUsage: %s COMMAND [OPTIONS] [ARGUMENTS]", app.Name)
	widest := widestOf(commandRows(app.VisibleCommands()))
	for _, group := range groups {
		if group.name != "" {
			h.rows(group.name, commandRows(group.commands), widest)
		}
	}
	h.line("")
	h.paragraphs(fmt.Sprintf("%s COMMAND --help describes a command and has examples.\n%s", app.Name, app.Description))
}
