package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func codexCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "codex", Usage: "connect Codex to this memory, or disconnect it", ArgsUsage: "[on | off]",
		Description: described("on adds our hooks and our MCP server to Codex's configuration; off removes them, and what others wrote stays. "+
			"A file in an unknown form is not changed. Without on or off it shows whether Codex is connected, and what keeps it from working.",
			"memory setup codex", "memory setup codex on"),
		Action: with(e, setUpCodex),
	}
}

func codexOf(e *environment) connect.Codex {
	return connect.NewCodex(connect.Env{Paths: e.Paths, Getenv: e.Getenv, Plugin: paths.InstalledRoot(e.Executable)})
}

// setUpCodex connects or disconnects Codex. Without an argument it prints the state only.
func setUpCodex(c *cli.Context, e *environment) error {
	turn := c.Args().First()
	if c.NArg() > 1 || turn != "" && !isSwitch(turn) {
		return usagef("memory setup codex takes on, off or nothing, not %q", strings.Join(c.Args().Slice(), " "))
	}
	if turn != "" {
		return changeCodex(e, turn == switchOn)
	}
	s := codexOf(e).State()
	return e.Print(s, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, "Codex is "+codexState(s))
		for _, problem := range s.Problems {
			_, _ = fmt.Fprintln(w, terminal.Printable(problem))
		}
		if s.Remedy != "" {
			_, _ = fmt.Fprintln(w, "to fix it: "+terminal.Printable(s.Remedy))
		}
	})
}

func codexState(s connect.State) string {
	switch {
	case s.Connected:
		return "connected"
	case s.Partly:
		return "connected in part"
	case s.Installed:
		return "not connected; memory setup codex on connects it"
	}
	return "not installed"
}

// changedCodex is the result of a change to Codex's configuration.
type changedCodex struct {
	Changed bool     `json:"changed"`
	Files   []string `json:"files"`
	Next    string   `json:"next,omitempty"` // what the user has to do next: trust the hooks in Codex
}

func changeCodex(e *environment, isOn bool) error {
	codex := codexOf(e)
	if isOn && !codex.State().Installed {
		return fmt.Errorf("no Codex is on the PATH or configured here: install it, then run memory setup codex on: %w", memory.ErrNotFound)
	}
	change, d, state := codex.Disconnect, changedCodex{Files: codex.Files()}, "disconnected"
	if isOn {
		change, d.Next, state = codex.Connect, connect.Trust, "connected"
	}
	var err error
	if d.Changed, err = change(); err != nil {
		return err
	}
	return e.Print(d, func(w io.Writer) {
		switch {
		case d.Changed && isOn:
			_, _ = fmt.Fprintf(w, "Codex is connected: %s\n", terminal.Printable(strings.Join(d.Files, ", ")))
			_, _ = fmt.Fprintln(w, "memory import transcripts --codex reads its past sessions")
		case d.Changed:
			_, _ = fmt.Fprintln(w, "Codex is disconnected")
		default:
			_, _ = fmt.Fprintf(w, "Codex was %s already\n", state)
		}
		if isOn && len(codex.State().Problems) > 0 {
			_, _ = fmt.Fprintln(w, d.Next)
		}
	})
}
