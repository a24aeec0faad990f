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
		Name: "codex", Usage: "connect Codex to this memory, or disconnect it", ArgsUsage: "on | off",
		Description: described("on adds this memory's hooks and MCP server to Codex's configuration; off removes them, and nothing else. "+
			"A configuration file that cannot be understood stays unchanged. memory doctor shows what Codex still needs.", "memory setup codex on"),
		Action: with(e, setUpCodex),
	}
}

func codexOf(e *environment) connect.Codex {
	return connect.NewCodex(connect.Env{Paths: e.Paths, Getenv: e.Getenv, Plugin: paths.InstalledRoot(e.Executable)})
}

// changedCodex is the result of a change to Codex's configuration.
type changedCodex struct {
	Changed bool     `json:"changed"`
	Files   []string `json:"files"`
	Next    string   `json:"next,omitempty"` // what the user has to do next: trust the hooks in Codex
}

func setUpCodex(c *cli.Context, e *environment) error {
	turn := c.Args().First()
	if c.NArg() != 1 || !isSwitch(turn) {
		return usagef("%q is neither on nor off: memory setup codex on connects Codex, memory setup codex off disconnects it", strings.Join(c.Args().Slice(), " "))
	}
	codex, isOn := codexOf(e), turn == switchOn
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
