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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
)

// ErrUsage means that the command line was invalid and the usage was printed.
var ErrUsage = errors.New("usage")

// Commands lists the commands of Command.
var Commands = []string{"restore", "rebuild"}

// CommandsUsage is the usage of Commands.
const CommandsUsage = `Usage:
  memoryd restore FILE         restore the store from a backup
  memoryd rebuild [--force]    rebuild the store from the newest backup and the journal
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
	wanted := 1 // number of arguments
	if command == "rebuild" {
		flags.BoolVar(&r.Force, "force", false, "use the new store even if it has fewer rows than the old one")
		wanted = 0
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return ErrUsage
	case flags.NArg() != wanted:
		flags.Usage()
		return ErrUsage
	case command == "rebuild":
		return r.alone(ctx, func() error { return r.Rebuild(ctx) })
	}
	file, err := filepath.Abs(flags.Arg(0))
	if err == nil {
		_, err = backup.Check(file) // before a daemon is stopped for it
	}
	if err != nil {
		return err
	}
	return r.alone(ctx, func() error { return r.restore(ctx, file) })
}
