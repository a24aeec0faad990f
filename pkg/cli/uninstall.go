package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// uninstallCommand makes memory uninstall.
func uninstallCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "uninstall", Usage: "end all processes, and remove the link and the engine",
		Description: described("The memories stay, unless --data is given. Remove the plugin itself with: "+pluginRemoval+".",
			"memory uninstall", "memory uninstall --data"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "data", Usage: "also delete all memories for good, with settings and backups"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask"},
		},
		Action: action(e, uninstallOptionsOf, uninstall),
	}
}

const pluginRemoval = "claude plugin uninstall surrealdb-memory@surrealdb-memory"

// uninstallOptions name the files to remove.
type uninstallOptions struct{ data, yes bool }

func uninstallOptionsOf(c *cli.Context) (uninstallOptions, error) {
	if c.Args().Present() {
		return uninstallOptions{}, usagef("uninstall takes no arguments")
	}
	return uninstallOptions{c.Bool("data"), c.Bool("yes")}, nil
}

// uninstalled lists the removed files.
type uninstalled struct {
	deleted
	Kept string `json:"kept"` // where the data stays; empty if it was deleted
}

func uninstall(ctx context.Context, e *environment, o uninstallOptions) error {
	question := "Processes, engine and link are removed; the memories stay in " + e.Paths.Home + ". Go on?"
	if o.data {
		question = "Everything that is remembered, with settings, logs and backups in " + e.Paths.Home +
			", is deleted for good, and the engine with it. Go on?"
	}
	if err := e.Confirm(o.yes, question); err != nil {
		return err
	}
	done := uninstalled{deleted: deleted{Ended: []int{}, Removed: []removedStore{}, Left: []string{}}}
	var err error
	if done.Codex, err = codexOf(e).Disconnect(); err != nil {
		return err
	}
	if done.Ended, err = endAll(ctx, e); err != nil {
		return err
	}
	all := installedPrograms(e)
	if o.data {
		files, err := allFiles(e)
		if err != nil {
			return err
		}
		all = append(all, files...)
	}
	if err := removeAll(all, &done.deleted); err != nil {
		return err
	}
	if !o.data && sizeOf(e.Paths.Data()) >= 0 {
		done.Kept = e.Paths.Home
	}
	if o.data {
		if done.Left, err = leftIn(e.Paths.Home); err != nil {
			return err
		}
	}
	return e.Print(done, func(w io.Writer) { uninstalledPage(w, done) })
}

func uninstalledPage(w io.Writer, done uninstalled) {
	purgedPage(w, done.deleted)
	if done.Kept != "" {
		_, _ = fmt.Fprintf(w, "kept\t%s; memory uninstall --data deletes it\n", terminal.Printable(done.Kept))
	}
	_, _ = fmt.Fprintln(w, "the plugin\t"+pluginRemoval)
}
