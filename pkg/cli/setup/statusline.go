package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
)

func statusLineCommand(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "statusline", Usage: "print the setting that shows the memory in Claude Code's status line",
		Description: command.Described("Add what it prints to ~/.claude/settings.json. The line says what the session was told last, and how many tokens in all; the program takes a few milliseconds and starts no agent.",
			"memory setup statusline"),
		Flags:  []cli.Flag{command.JSONFlag()},
		Action: command.Action(e, command.OnlyShared, statusLine),
	}
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

func statusLine(ctx context.Context, e *command.Env, o command.Shared) error {
	if err := e.InstallLaunchers(); err != nil {
		return err
	}
	setting := lineOf(e.Launched("memory-statusline"))
	text, err := json.MarshalIndent(setting, "", "  ")
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, setting, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s\n", text) })
}

// lineState is whose status line the client shows.
type lineState int

const (
	noLine lineState = iota
	lineIsOurs
	lineOfAnother
)

// statusLineOf is the client's setting for its status line.
func statusLineOf(e *command.Env) connect.Setting {
	return connect.StatusLine(e.ClientDir(), e.Paths)
}

// stateOf says whose status line is set.
func stateOf(e *command.Env, setting connect.Setting) (lineState, error) {
	isThere, isOurs, err := setting.Runs(e.Program("memory-statusline"))
	switch {
	case err != nil:
		return noLine, fmt.Errorf("read Claude Code's settings: %w; mend it, or run memory setup --statusline no", err)
	case !isThere:
		return noLine, nil
	case isOurs:
		return lineIsOurs, nil
	}
	return lineOfAnother, nil
}

// setLine sets our status line, or takes it out.
func setLine(e *command.Env, setting connect.Setting, isOn bool) error {
	var value json.RawMessage
	var err error
	if isOn {
		err = e.InstallLaunchers()
	}
	if isOn && err == nil {
		value, err = json.Marshal(lineOf(e.Launched("memory-statusline")).StatusLine)
	}
	if err == nil {
		err = setting.Write(value)
	}
	if err != nil {
		return fmt.Errorf("write Claude Code's settings: %w", err)
	}
	return nil
}
