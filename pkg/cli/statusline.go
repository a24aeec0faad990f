package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
)

func statusLineCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "statusline", Usage: "print the setting that shows the memory in Claude Code's status line",
		Description: described("Add what it prints to ~/.claude/settings.json. The line shows what the session was given last, and how many tokens in all; the program takes a few milliseconds and starts no agent.",
			"memory setup statusline"),
		Flags:  []cli.Flag{jsonFlag()},
		Action: action(e, onlyShared, switchStatusLine),
	}
}

// clientSetting is the client's setting for its status line.
type clientSetting struct {
	StatusLine struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	} `json:"statusLine"`
}

// statusLineSetting is the setting for a program that draws the line.
func statusLineSetting(program string) (setting clientSetting) {
	setting.StatusLine.Type, setting.StatusLine.Command = "command", program
	return setting
}

func switchStatusLine(ctx context.Context, e *environment, o sharedOptions) error {
	if err := e.InstallLaunchers(); err != nil {
		return err
	}
	setting := statusLineSetting(e.Launched("memory-statusline"))
	text, err := json.MarshalIndent(setting, "", "  ")
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, setting, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s\n", text) })
}

// statusLineState is whose status line the client shows.
type statusLineState int

const (
	noLine statusLineState = iota
	lineIsOurs
	lineOfAnother
)

// statusLineOf is the client's setting for its status line.
func statusLineOf(e *environment) connect.StatusLine {
	return connect.StatusLineOf(e.ClientDir())
}

// statusLineStateOf returns whose status line is set.
func statusLineStateOf(e *environment, setting connect.StatusLine) (statusLineState, error) {
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

// setStatusLine sets our status line, or takes it out.
func setStatusLine(e *environment, setting connect.StatusLine, isOn bool) error {
	var value json.RawMessage
	var err error
	if isOn {
		err = e.InstallLaunchers()
	}
	if isOn && err == nil {
		value, err = json.Marshal(statusLineSetting(e.Launched("memory-statusline")).StatusLine)
	}
	if err == nil {
		err = setting.Write(value)
	}
	if err != nil {
		return fmt.Errorf("write Claude Code's settings: %w", err)
	}
	return nil
}
