package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
)

// StatusLine makes memory statusline.
func StatusLine(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "statusline", Usage: "print the setting that shows the memory in Claude Code's status line",
		Description: command.Described("Add what it prints to ~/.claude/settings.json. The line says what the session was told last, and how many tokens in all; the program takes a few milliseconds and starts no agent.",
			"memory statusline"),
		Flags:  []cli.Flag{command.JSONFlag()},
		Action: command.Action(e, statusLineOptionsOf, statusLine),
	}
}

// statusLineOptions has no options of its own: the setting is JSON either way.
type statusLineOptions struct{ command.Shared }

func statusLineOptionsOf(c *cli.Context) (statusLineOptions, error) {
	return statusLineOptions{command.SharedOf(c)}, nil
}

// clientSetting is the client's setting for its status line.
type clientSetting struct {
	StatusLine struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	} `json:"statusLine"`
}

// lineOf is the setting for a program that draws the line.
func lineOf(program string) (setting clientSetting) {
	setting.StatusLine.Type, setting.StatusLine.Command = "command", program
	return setting
}

func statusLine(ctx context.Context, e *command.Env, o statusLineOptions) error {
	setting := lineOf(e.Program("memory-statusline"))
	text, err := json.MarshalIndent(setting, "", "  ")
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, setting, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s\n", text) })
}
