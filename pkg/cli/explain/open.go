package explain

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// Open makes memory open.
func Open(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "open", Usage: "open the dashboard in the browser: look at the memories, correct them, undo",
		Description: command.Described("It prints an address on 127.0.0.1 that is good once and for ten minutes; the browser that opens it stays let in until the agent ends. Nothing listens before the first time.",
			"memory open", "memory open --print"),
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "print", Usage: "only print the address"}, command.JSONFlag()},
		Action: command.Action(e, openOptionsOf, open),
	}
}

// openOptions say whether a browser is started.
type openOptions struct {
	command.Shared
	onlyPrint bool
}

func openOptionsOf(c *cli.Context) (openOptions, error) {
	return openOptions{command.SharedOf(c), c.Bool("print")}, nil
}

func open(ctx context.Context, e *command.Env, o openOptions) error {
	if e.InModelsShell() {
		return command.Usagef("the dashboard is for people: run memory open in a terminal of your own, its address would let the model act in your name")
	}
	if !e.Config.Dashboard.Enabled {
		return command.Usagef("the dashboard is switched off: memory config set dashboard.enabled true, then memory agent stop")
	}
	var result agentapi.DashboardResult
	if err := e.Agent.Call(ctx, agentapi.MethodDashboard.Call(agentapi.None{}, &result)); err != nil {
		return err
	}
	if e.Interactive && !o.onlyPrint && !o.JSON {
		if err := browse(ctx, result.URL); err != nil {
			_, _ = fmt.Fprintf(e.Err, "memory: no browser could be started (%s): open the address yourself\n", terminal.Printable(err.Error()))
		}
	}
	return e.Print(ctx, o.JSON, result, func(w io.Writer) { _, _ = fmt.Fprintln(w, result.URL) })
}

// browse has the system open an address; it does not wait for the browser.
func browse(ctx context.Context, url string) error {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), opener[0], append(opener[1:], url)...).Start()
}
