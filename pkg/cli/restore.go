package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func restoreCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring back archived or replaced memories, or a whole backup", ArgsUsage: "ID... | FILE",
		Description: described("The name of an existing file is a backup; anything else is the id of a memory.",
			"memory restore 3f9a1c 77ab02", "memory restore ~/backups/memory.jsonl"),
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
			return fmt.Errorf("there is no backup %s: %w", name, memory.ErrNotFound)
		}
		return usagef("%w; or name the file of a backup", err)
	}
	where, err := e.Project()
	if err != nil {
		return err
	}
	return amendAll(c, e, where, memory.StatusActive)
}
