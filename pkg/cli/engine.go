package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// engineCommand returns the command "memory setup engine".
func engineCommand(e *environment) *cli.Command {
	sub := func(name, usage, more string, action cli.ActionFunc) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Description: described(more, "memory setup engine "+name), Action: action}
	}
	return &cli.Command{
		Name: "engine", Usage: "install, inspect or remove the embedded database engine",
		Subcommands: []*cli.Command{
			sub("install", "install the embedded engine, if this machine needs it",
				"It downloads 10 MB (71 MB in a checkout) once, and takes 24 MB in $MEMORY_HOME/engine (MEMORY_ENGINE_DIR names another folder). All versions of the plugin share it. If there is no Node.js, it downloads that, too: 30 to 52 MB, 77 to 125 MB on disk.",
				func(c *cli.Context) error { return e.Daemon.Memoryd(c.Context, "--install-engine") }),
			sub("status", "show which database engine is used, and where the embedded one is installed", "", plain(e, engineStatus)),
			sub("remove", "remove the embedded engine; what is remembered stays",
				"The next daemon installs it again.", plain(e, engineRemove)),
		},
	}
}

func engineStatus(ctx context.Context, e *environment) error {
	var check daemonapi.CheckedEngine
	output, err := e.Daemon.RunProgram(ctx, "memoryd", "--check")
	if err == nil {
		err = json.Unmarshal(output, &check)
	}
	if err != nil {
		return fmt.Errorf("memoryd cannot describe the engine: %w; build the plugin again or reinstall it", err)
	}
	return e.Print(check, func(w io.Writer) { enginePage(w, check) })
}

func enginePage(w io.Writer, e daemonapi.CheckedEngine) {
	name := e.Name
	if e.Problem != "" {
		name = e.Problem
	}
	_, _ = fmt.Fprintf(w, "engine\t%s\n", terminal.Printable(name))
	if e.Path != "" {
		_, _ = fmt.Fprintf(w, "from\t%s\n", terminal.Printable(e.Path))
	}
	_, _ = fmt.Fprintf(w, "embedded\t%s\n", terminal.Printable(e.Packages))
}

// engineRemove removes the installed engine. It fails while the daemon uses it.
func engineRemove(ctx context.Context, e *environment) error {
	var status daemonapi.StatusResult
	err := e.Daemon.Ask(ctx, daemonapi.MethodStatus.Call(daemonapi.None{}, &status))
	if err != nil && !errors.Is(err, daemonclient.ErrNoDaemon) {
		return err
	}
	if err == nil && status.Engine.Kind == "embedded" {
		return errors.New("the daemon uses the embedded engine: memory daemon stop, then remove it")
	}
	return e.Daemon.Memoryd(ctx, "--remove-engine")
}
