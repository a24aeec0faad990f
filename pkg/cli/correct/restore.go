package correct

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// BackupRestorer brings the whole store back from the file of a backup.
type BackupRestorer func(ctx context.Context, e *command.Env, file string, yes bool) error

// restoreOptions name the backup or memory to bring back.
type restoreOptions struct {
	changeOptions
	what string // the file of a backup, or the id of an archived memory
	yes  bool   // do not ask before a backup replaces the store
}

func restoreOptionsOf(c *cli.Context) (o restoreOptions, err error) {
	o.Shared, o.reason, o.what, o.yes = command.SharedOf(c), c.String("reason"), c.Args().First(), c.Bool("yes")
	if c.Args().Len() != 1 {
		return o, command.Usagef("restore what? give the id of a memory (memory list --archived shows them) or the file of a backup")
	}
	return o, nil
}

// Restore makes memory restore.
func Restore(e *command.Env, backup BackupRestorer) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back a forgotten or replaced memory, or a whole backup", ArgsUsage: "ID | FILE",
		Description: command.Described("What exists as a file is a backup; anything else is the id of a memory.",
			"memory restore 3f9a1c", "memory restore ~/backups/memory.jsonl"),
		BashComplete: e.Complete(e.IDs(memory.StatusArchived, false), nil),
		Flags: []cli.Flag{
			command.ReasonFlag("`WHY`: the reason, which is recorded"), command.ProjectFlag(),
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before a backup replaces the store"}, command.JSONFlag(),
		},
		Action: command.Action(e, restoreOptionsOf, func(ctx context.Context, e *command.Env, o restoreOptions) error {
			return restore(ctx, e, o, backup)
		}),
	}
}

func restore(ctx context.Context, e *command.Env, o restoreOptions, backup BackupRestorer) error {
	if _, err := os.Stat(o.what); err == nil {
		return backup(ctx, e, o.what, o.yes)
	}
	if !memory.IsIDBeginning(o.what) {
		return command.Usagef("%q is neither a file nor an id; memory list --archived shows the ids of archived memories", memory.Cut(o.what, 200))
	}
	o.id, o.change = o.what, memory.Change{Status: memory.StatusActive}
	where, err := e.Project(o.Dir)
	if err != nil {
		return err
	}
	return amend(ctx, e, where, o.changeOptions)
}
