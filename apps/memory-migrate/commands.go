package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/lmittmann/tint"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/migrator"
)

// program is one run of memory-migrate.
type program struct {
	stdout io.Writer
	getenv func(string) string
	log    *slog.Logger
}

func newApp(stdout, stderr io.Writer, getenv func(string) string) *cli.App {
	p := &program{
		stdout: stdout, getenv: getenv,
		log: slog.New(tint.NewTextHandler(stderr, &tint.Options{Level: slog.LevelInfo, NoColor: true})),
	}
	asJSON := &cli.BoolFlag{Name: "json", Usage: "answer in JSON, errors included"}
	onDatabase := []cli.Flag{
		asJSON,
		&cli.StringFlag{Name: "dir", Usage: "read the migrations from `DIRECTORY` instead of the built-in ones"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up after `TIME`"},
	}
	define := &cli.BoolFlag{Name: "define", Usage: "define the missing parts again"}
	onFiles := []cli.Flag{asJSON, &cli.StringFlag{Name: "dir", Value: "migrations", Usage: "`DIRECTORY` of the migrations"}}
	return &cli.App{
		Name: "memory-migrate", Version: version, Writer: stdout, ErrWriter: stderr, HideHelpCommand: true,
		Usage:          "bring the memory database to the schema of this version",
		ExitErrHandler: func(*cli.Context, error) {}, // Run reports
		OnUsageError:   badUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("%w: unknown command %q: see memory-migrate --help", errUsage, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			p.command("up", "apply the missing migrations", "", onDatabase, p.opened((*migrator.Database).Up)),
			p.command("status", "show the schema version, and check that the database matches the migrations", "", onDatabase, p.opened((*migrator.Database).Status)),
			p.command("drift", "list the parts of this version's schema that the database lacks", "", append(onDatabase, define), func(c *cli.Context) (migrator.Answer, error) {
				return p.opened(func(d *migrator.Database, ctx context.Context) (migrator.Answer, error) {
					return d.Drift(ctx, c.Bool(define.Name))
				})(c)
			}),
			p.command("new", "create the next migration file", "NAME", onFiles, func(c *cli.Context) (migrator.Answer, error) {
				path, err := migrate.New(c.String("dir"), c.Args().First())
				return migrator.Answer{Value: map[string]any{"file": path}, Text: path}, err
			}),
			p.command("sum", "update migrations.sum after editing a migration", "", onFiles, func(c *cli.Context) (migrator.Answer, error) {
				path := filepath.Join(c.String("dir"), migrate.SumFile)
				return migrator.Answer{Value: map[string]any{"file": path}, Text: path}, migrate.UpdateSums(c.String("dir"))
			}),
		},
	}
}

func badUsage(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("%w: %w", errUsage, err) }

// command returns a command with one argument, or with none if argument is empty.
func (p *program) command(name, usage, argument string, flags []cli.Flag, action func(*cli.Context) (migrator.Answer, error)) *cli.Command {
	want := 0
	if argument != "" {
		want = 1
	}
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: argument, Flags: flags, OnUsageError: badUsage, HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			if c.NArg() != want {
				return fmt.Errorf("%w: memory-migrate %s [flags] %s", errUsage, name, argument)
			}
			result, err := action(c)
			switch {
			case err != nil:
				return err
			case c.Bool("json"):
				return json.NewEncoder(p.stdout).Encode(result.Value)
			}
			_, err = fmt.Fprintln(p.stdout, result.Text)
			return err
		},
	}
}

// opened returns an action that opens the database, runs the given action on it, and closes it.
func (p *program) opened(action func(*migrator.Database, context.Context) (migrator.Answer, error)) func(*cli.Context) (migrator.Answer, error) {
	return func(c *cli.Context) (answer migrator.Answer, err error) {
		layout := paths.FromEnv(p.getenv)
		cfg, problems := config.Load(layout.ConfigFile(), p.getenv)
		for _, problem := range problems {
			p.log.Warn("setting ignored", "problem", problem.String())
		}
		var files fs.FS = migrations.FS
		if dir := c.String("dir"); dir != "" {
			files = os.DirFS(dir)
		}
		d, err := migrator.Open(layout, cfg.Store, files, version, p.log)
		if err != nil {
			return answer, err
		}
		defer func() {
			if closeErr := d.Close(); err == nil {
				err = closeErr
			}
		}()
		ctx, cancel := context.WithTimeout(c.Context, c.Duration("timeout"))
		defer cancel()
		return action(d, ctx)
	}
}
