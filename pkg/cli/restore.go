package cli

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// restoreOptions name the backup or memory to bring back.
type restoreOptions struct {
	changeOptions
	what string // the file of a backup, or the id of an archived memory
	yes  bool   // do not ask before a backup replaces the store
}

func restoreOptionsOf(c *cli.Context) (o restoreOptions, err error) {
	o.reason, o.what, o.yes = c.String("reason"), c.Args().First(), c.Bool("yes")
	if c.Args().Len() != 1 {
		return o, usagef("restore what? give the id of a memory (memory list --archived shows them) or the file of a backup")
	}
	return o, nil
}

// restoreCommand makes memory restore.
func restoreCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back an archived or replaced memory, or a whole backup", ArgsUsage: "ID | FILE",
		Description: described("The name of an existing file is a backup; anything else is the id of a memory.",
			"memory restore 3f9a1c", "memory restore ~/backups/memory.jsonl"),
		Flags: []cli.Flag{
			reasonFlag("`WHY`, which is recorded"),
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before a backup replaces the store"},
		},
		Action: action(e, restoreOptionsOf, restore),
	}
}

func restore(ctx context.Context, e *environment, o restoreOptions) error {
	if _, err := os.Stat(o.what); err == nil {
		return restoreBackup(ctx, e, o.what, o.yes)
	}
	if o.id = memory.IDAsShown(o.what); !memory.IsIDBeginning(o.id) {
		return usagef("%q is neither a file nor an id; memory list --archived shows the ids of archived memories",
			memory.Cut(o.what, 200))
	}
	o.change = memory.Change{Status: memory.StatusActive}
	where, err := e.Project()
	if err != nil {
		return err
	}
	return amendMemories(ctx, e, where, o.changeOptions)
}
