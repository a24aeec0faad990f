package cli

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func openCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "open", Usage: "open the dashboard in the browser",
		Description: described("The browser opens a local file that signs it in with a key, and the file is deleted; with --print you type the key yourself. The key works once, within ten minutes and before the next memory open. Then the browser stays signed in until the daemon ends. Before the first memory open the dashboard does not run.",
			"memory open", "memory open --print"),
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "print", Usage: "start no browser: print the address, and the key to enter there"}},
		Action: with(e, openDashboard),
	}
}

// errKeyForModel refuses to print the dashboard's key behind the client's "!", because the client sends all output to the
// model.
var errKeyForModel = usagef("what is printed here goes to the model, and the key is for you alone: run memory open --print in a terminal")

func openDashboard(c *cli.Context, e *environment) error {
	ctx, onlyPrint := c.Context, c.Bool("print")
	inClient := e.Client() != ""
	if inClient && (onlyPrint || e.JSON) {
		return errKeyForModel
	}
	browse := inClient || e.Interactive && !onlyPrint && !e.JSON
	result, err := dashboardAddress(ctx, e, browse)
	if err == nil && browse {
		startErr := startBrowser(ctx, result.File)
		if startErr != nil && inClient {
			return fmt.Errorf("no browser could be started (%w): %w", startErr, errKeyForModel)
		}
		if startErr != nil {
			_, _ = fmt.Fprintf(e.Err, "memory: no browser could be started (%s): open the address yourself\n",
				terminal.Printable(startErr.Error()))
			result, err = dashboardAddress(ctx, e, false)
		}
	}
	if err != nil {
		return err
	}
	return e.Print(result, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, result.URL)
		if result.Key != "" {
			_, _ = fmt.Fprintln(w, "enter this key there: "+result.Key)
		} else {
			_, _ = fmt.Fprintln(w,
				"If no page opens (a browser in a sandbox may not read its file), run memory open --print in a terminal: it shows a key to enter at this address.")
		}
	})
}

// dashboardAddress makes the daemon issue a key for one browser, in a file or for a person to type.
func dashboardAddress(ctx context.Context, e *environment, byFile bool) (daemonapi.DashboardResult, error) {
	return daemonapi.MethodDashboard.Ask(ctx, e.Daemon.Call, daemonapi.DashboardParams{File: byFile})
}

// startBrowser opens a file in the browser, without waiting for the browser. Other users can see the arguments, which
// is safe, because the file's name is not secret.
func startBrowser(ctx context.Context, file string) error {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), opener[0], append(opener[1:], file)...).Start()
}
