package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
)

func backupCommand(e *environment) *cli.Command {
	return &cli.Command{
		Subcommands: []*cli.Command{rebuildCommand(e)},
		Name:        "backup", Usage: "write everything that is stored into a file", ArgsUsage: "[FILE]",
		Description: described("Without FILE it writes into the folder of the daily backups. memory restore FILE replaces the store by a backup.", "memory backup", "memory backup ~/memory.backup"),
		Action:      with(e, writeBackup),
	}
}

func rebuildCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "rebuild", Usage: "rebuild the store from the newest backup and the journal; the old store is kept aside",
		Description: described("For a broken store. The old store's data is kept until the next restore or rebuild.", "memory backup rebuild"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "force", Usage: "use the new store even if it has fewer rows than the old one"},
			yesFlag(),
		},
		Action: with(e, rebuildStore),
	}
}

func writeBackup(c *cli.Context, e *environment) (err error) {
	file := c.Args().First()
	if file != "" {
		if file, err = filepath.Abs(file); err != nil {
			return err
		}
	}
	return show(c.Context, e, daemonapi.MethodBackup, file, func(w io.Writer, result daemonapi.BackupResult) {
		_, _ = fmt.Fprintf(w, "%s: %s, %s\n", terminal.Printable(result.File), memory.Counted(result.Rows, "row"),
			memory.Counted(int(result.Bytes), "byte"))
		for _, old := range result.Deleted {
			_, _ = fmt.Fprintf(w, "%s: deleted; the backups of %s are kept\n", terminal.Printable(old),
				memory.Counted(e.Config.Backup.Keep, "day"))
		}
	})
}

// restoreBackup replaces the whole store by a backup. It asks first.
func restoreBackup(c *cli.Context, e *environment) error {
	if err := e.OnlyPerson("replace everything that is stored"); err != nil {
		return err
	}
	file, err := filepath.Abs(c.Args().First())
	if err != nil {
		return err
	}
	header, err := backup.Check(file)
	switch {
	case errors.Is(err, backup.ErrForeign):
		return usagef("%w", err)
	case errors.Is(err, backup.ErrDamaged):
		return usagef("%w: name another backup", err)
	case err != nil:
		return err
	}
	question := fmt.Sprintf("This replaces everything that is stored by the %s of %s, from %s. It backs up the present store first, and keeps it aside. Go on?",
		memory.Counted(header.Rows(), "row"), terminal.Printable(file), header.CreatedAt.Local().Format(time.DateTime))
	if err := e.Confirm(c.Bool("yes"), question); err != nil {
		return err
	}
	return e.Daemon.Memoryd(c.Context, "--restore", file)
}

func rebuildStore(c *cli.Context, e *environment) error {
	if err := e.Confirm(c.Bool("yes"),
		"This rebuilds the store from the newest backup and the journal. It backs up the present store first, if that can be read, and keeps it aside. Go on?"); err != nil {
		return err
	}
	arguments := []string{"--rebuild"}
	if c.Bool("force") {
		arguments = append(arguments, "--force")
	}
	return e.Daemon.Memoryd(c.Context, arguments...)
}

func restoreCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back archived or replaced memories, or a whole backup", ArgsUsage: "ID... | FILE",
		Description: described("An argument that names an existing file is a backup; any other is the id of a memory.",
			"memory restore 3f9a1c 77ab02", "memory restore ~/memory.backup"),
		Flags:  []cli.Flag{yesFlag()},
		Action: with(e, restore),
	}
}

func restore(c *cli.Context, e *environment) error {
	if _, err := os.Stat(c.Args().First()); err == nil && c.NArg() == 1 {
		return restoreBackup(c, e)
	}
	if _, err := someIDs(c); err != nil {
		if name := c.Args().First(); strings.ContainsAny(name, `./\`) {
			return fmt.Errorf("there is no file %s: name the file of a backup, or ids of memories: %w", name, memory.ErrNotFound)
		}
		return usagef("%w; or name the file of a backup", err)
	}
	where, err := e.Project()
	if err != nil {
		return err
	}
	return amendAll(c, e, where, memory.StatusActive)
}
