package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// restoreBackup brings a whole store back from a backup file. The file of the
// backup commands sets it.
var restoreBackup func(p *program, c *cli.Context, file string) error

func (p *program) restoreCommand() *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back a memory that was forgotten or replaced, or a whole backup", ArgsUsage: "ID | FILE",
		Description: described("What exists as a file is a backup; anything else is the id of a memory.",
			"memory restore 3f9a1c", "memory restore ~/backups/memory.jsonl"),
		BashComplete: p.completeWith(p.archivedIDs()),
		Flags: []cli.Flag{
			reasonFlag("`WHY` the memory holds after all"), projectFlag(),
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before a backup replaces what is stored"}, jsonFlag(),
		},
		Action: p.restore,
	}
}

// restore takes the file of a backup, or the id of a memory that was put away.
func (p *program) restore(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("restore what? give the id of a memory (memory list --archived shows them) or the file of a backup")
	}
	what := c.Args().First()
	if _, err := os.Stat(what); err == nil && restoreBackup != nil {
		return restoreBackup(p, c, what)
	}
	if !memory.IsIDBeginning(what) {
		return usagef("%q is neither a file nor an id; memory list --archived shows the ids of what was put away", memory.Cut(what, 200))
	}
	return p.amend(c, what, memory.Change{Status: memory.StatusActive})
}
