package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// manCommand makes memory man, which shows a manual page of the whole program.
func manCommand(e *environment, app func() *cli.App) *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "show the manual page",
		Description: described("On a terminal man shows it; otherwise its source is printed.",
			"memory man", "memory man > ~/.local/share/man/man1/memory.1"),
		Action: func(c *cli.Context) error { return showManual(c.Context, e, app()) },
	}
}

// showManual shows the manual page that the library makes of the commands.
func showManual(ctx context.Context, e *environment, app *cli.App) error {
	for _, one := range app.Commands {
		withManual(one, "memory")
	}
	page, err := app.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	viewer, err := exec.LookPath("man")
	if e.Width == 0 || err != nil {
		_, err = io.WriteString(e.Out, page)
		return err
	}
	dir, err := os.MkdirTemp("", "memory-man-")
	if err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "memory.1")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	cmd := exec.CommandContext(ctx, viewer, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.In, e.Out, e.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("man cannot show the page: %w; memory man > FILE writes its source", err)
	}
	return nil
}

// withManual puts the synopsis, description and examples of a command where the
// library takes them from for a manual page.
func withManual(command *cli.Command, parent string) {
	full := parent + " " + command.Name
	text := full
	if len(command.Flags) > 0 {
		text += " [OPTIONS]"
	}
	text = strings.TrimRight(text+" "+command.ArgsUsage, " ")
	if command.Description != "" {
		text += "\n\n" + command.Description
	}
	command.UsageText = text
	for _, flag := range command.Flags {
		withoutQuotes(flag)
	}
	for _, sub := range command.Subcommands {
		withManual(sub, full)
	}
}

// withoutQuotes takes the quotes of the placeholder out of a flag's usage.
func withoutQuotes(flag cli.Flag) {
	switch f := flag.(type) {
	case *cli.BoolFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.StringFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.StringSliceFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.IntFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.Float64Flag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	}
}
