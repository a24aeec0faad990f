package cli

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// restoreOptions has the backup or the memories to restore.
type restoreOptions struct {
	changeOptions
	file string   // path of a backup; empty to restore memories
	ids  []string // ids of archived or quarantined memories
	yes  bool     // do not ask before a backup replaces the store
}

func restoreOptionsOf(c *cli.Context) (o restoreOptions, err error) {
	o.yes, o.change.Status = c.Bool("yes"), memory.StatusActive
	if _, err := os.Stat(c.Args().First()); err == nil && c.Args().Len() == 1 {
		o.file = c.Args().First()
		return o, nil
	}
	if o.ids, err = someIDs(c); err != nil {
		err = usagef("%w; or name the file of a backup", err)
	}
	return o, err
}

// restoreCommand returns the command "memory restore".
func restoreCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back archived or replaced memories, release them from quarantine, or bring back a whole backup", ArgsUsage: "ID... | FILE",
		Description: described("The name of an existing file is a backup; anything else is the id of a memory.",
			"memory restore 3f9a1c 77ab02", "memory restore ~/backups/memory.jsonl"),
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "do not ask before a backup replaces the store"}},
		Action: action(e, restoreOptionsOf, restore),
	}
}

func restore(ctx context.Context, e *environment, o restoreOptions) error {
	if o.file != "" {
		return restoreBackup(ctx, e, o.file, o.yes)
	}
	where, err := e.Project()
	if err != nil {
		return err
	}
	return amendAll(ctx, e, where, o.ids, o.changeOptions)
}
