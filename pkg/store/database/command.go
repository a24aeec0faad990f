package database

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// ErrUsage means that the command line was invalid and the usage was printed.
var ErrUsage = errors.New("usage")

// Commands lists the commands of Command.
var Commands = []string{"backup", "restore", "rebuild"}

// CommandsUsage is the usage of Commands.
const CommandsUsage = `Usage:
  memoryd backup [FILE]               write a backup while no daemon runs
  memoryd restore [--replace] FILE    restore the store from a backup
  memoryd rebuild [--journal-only] [--force]
                                      rebuild the store from the newest backup and the journal
`

// RunCommand runs one of Commands with the arguments after its name, while no daemon runs.
func RunCommand(
	ctx context.Context, version, command string, args []string, stdout, stderr io.Writer, getenv func(string) string,
) error {
	layout := paths.FromEnv(getenv)
	cfg, _ := config.Load(layout.ConfigFile(), getenv) // the daemon reports problems of the settings
	r := &Rescuer{Layout: layout, Config: cfg, Version: version, Out: stdout}
	flags := flag.NewFlagSet("memoryd "+command, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = fmt.Fprint(stderr, CommandsUsage) }
	least, most := 0, 0 // number of arguments
	switch command {
	case "backup":
		most = 1
	case "restore":
		flags.BoolVar(&r.Replace, "replace", false, "back up the present store, keep its files, and restore")
		least, most = 1, 1
	case "rebuild":
		flags.BoolVar(&r.JournalOnly, "journal-only", false, "ignore the backups")
		flags.BoolVar(&r.Force, "force", false, "use the new store even if it has fewer rows than the old one")
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return ErrUsage
	case flags.NArg() < least || flags.NArg() > most:
		flags.Usage()
		return ErrUsage
	}
	argument := flags.Arg(0)
	if argument != "" {
		argument, err = filepath.Abs(argument)
	}
	if err != nil {
		return err
	}
	return r.Run(ctx, command, argument)
}
