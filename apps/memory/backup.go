package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/resident"
)

func init() { restoreBackup = (*program).restoreFile }

// backupTime bounds a backup, which reads the whole store.
const backupTime = time.Hour

func (p *program) backupCommand() *cli.Command {
	return &cli.Command{
		Name: "backup", Usage: "write everything that is stored to a file", ArgsUsage: "[FILE]",
		Description: described("Without a FILE it goes among the daily backups. memory restore FILE brings it back.", "memory backup", "memory backup ~/memory.backup"),
		Flags:       []cli.Flag{jsonFlag()}, Action: p.backup,
	}
}

func (p *program) rebuildCommand() *cli.Command {
	return &cli.Command{
		Name: "rebuild", Usage: "make the store anew from the newest backup and the journal, and keep the old one aside",
		Description: described("For a store that is broken. Nothing is deleted: the old store keeps its data under a dated name.", "memory rebuild"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "journal-only", Usage: "leave the backups out"},
			&cli.BoolFlag{Name: "force", Usage: "take the new store even if it has less than the old one"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask first"},
		},
		Action: p.rebuild,
	}
}

// backup has the agent write the file, or else a memoryd that runs for it.
func (p *program) backup(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return usagef("give one file, or none")
	}
	var params agentapi.BackupParams
	if name := c.Args().First(); name != "" {
		file, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		params.File = file
	}
	var result agentapi.BackupResult
	err := p.askWithin(c.Context, backupTime, agentapi.MethodBackup, params, &result)
	if errors.Is(err, agentapi.ErrNoAgent) {
		arguments := []string{"backup"}
		if params.File != "" {
			arguments = append(arguments, params.File)
		}
		return p.memoryd(c, arguments...)
	}
	if err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s: %s, %s\n", printable(result.File), counted(result.Rows, "row"), counted(int(result.Bytes), "byte"))
		for _, old := range result.Deleted {
			_, _ = fmt.Fprintf(w, "%s: deleted; those of %s are kept\n", printable(old), counted(p.config.Backup.Keep, "day"))
		}
	})
}

// restoreFile brings the whole store back from a backup.
func (p *program) restoreFile(c *cli.Context, name string) error {
	file, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	header, err := backup.Check(file)
	switch {
	case errors.Is(err, backup.ErrForeign), errors.Is(err, backup.ErrDamaged):
		return usagef("%w", err)
	case err != nil:
		return err
	}
	question := fmt.Sprintf("Everything that is stored is replaced by the %s of %s, from %s. What is there now is backed up and put aside. Go on?",
		counted(header.Rows(), "row"), printable(file), header.CreatedAt.Local().Format(time.DateTime))
	if err := p.confirm(c, question); err != nil {
		return err
	}
	arguments := []string{"restore"}
	if p.config.Store.URL == "" {
		arguments = append(arguments, "--replace")
	}
	return p.memoryd(c, append(arguments, file)...)
}

func (p *program) rebuild(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("rebuild takes no arguments; memory restore FILE brings one backup back")
	}
	if err := p.confirm(c, "The store is made anew from the newest backup and the journal. What is there now is backed up, if it can be read, and put aside. Go on?"); err != nil {
		return err
	}
	arguments := []string{"rebuild"}
	for _, flag := range []string{"journal-only", "force"} {
		if c.Bool(flag) {
			arguments = append(arguments, "--"+flag)
		}
	}
	return p.memoryd(c, arguments...)
}

// memoryd runs the agent's program in the agent's place, until it has done what
// it is asked. It says itself what went wrong.
func (p *program) memoryd(c *cli.Context, arguments ...string) error {
	if err := os.MkdirAll(p.paths.Home, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(c.Context, paths.Program(p.executable, "memoryd"), arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = callTime
	cmd.Dir = p.paths.Home // as when a hook starts it
	cmd.Env = append(resident.Environment(os.Environ()), "MEMORY_HOME="+p.paths.Home)
	cmd.Stdout, cmd.Stderr = p.out, p.err
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("%s failed; the line above says why", arguments[0])
	case err != nil:
		return fmt.Errorf("%w: run memoryd: %w; build the plugin again or reinstall it", memory.ErrUnavailable, err)
	}
	return nil
}
