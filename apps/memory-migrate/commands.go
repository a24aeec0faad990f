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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// program is one run: its streams and its environment.
type program struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	log            *slog.Logger
	widen          func() (done func()) // nil for a named server
}

func newApp(stdout, stderr io.Writer, getenv func(string) string) *cli.App {
	p := &program{
		stdout: stdout, stderr: stderr, getenv: getenv,
		log: slog.New(tint.NewTextHandler(stderr, &tint.Options{Level: slog.LevelInfo, NoColor: true})),
	}
	asJSON := &cli.BoolFlag{Name: "json", Usage: "answer in JSON, errors included"}
	onDatabase := []cli.Flag{
		asJSON,
		&cli.StringFlag{Name: "dir", Usage: "read the migrations from this `DIRECTORY` instead of those built in"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up after this `TIME`"},
	}
	for _, s := range connectionSettings {
		onDatabase = append(onDatabase, &cli.StringFlag{Name: s.flag, Usage: s.usage + " [$" + s.variable + "]"})
	}
	onFiles := []cli.Flag{asJSON, &cli.StringFlag{Name: "dir", Value: "migrations", Usage: "`DIRECTORY` of the migrations"}}
	return &cli.App{
		Name: "memory-migrate", Version: version, Writer: stdout, ErrWriter: stderr, HideHelpCommand: true,
		Usage:          "bring the memory database to this version's schema",
		ExitErrHandler: func(*cli.Context, error) {}, // Run reports
		OnUsageError:   badUsage,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("%w: %s is no command: see memory-migrate --help", errUsage, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			p.command("up", "apply what is missing", "", onDatabase, p.up),
			p.command("status", "say where the database stands", "", onDatabase, p.status),
			p.command("plan", "list what up would apply", "", onDatabase, p.plan),
			p.command("verify", "check that the database and the migrations belong together", "", onDatabase, p.verify),
			p.command("drift", "list what the database lacks of this version's schema", "", append(onDatabase,
				&cli.BoolFlag{Name: "define", Usage: "define what is missing again"}), p.drift),
			p.command("new", "write the next migration, empty", "NAME", onFiles, p.create),
			p.command("sum", "rewrite migrations.sum after writing a migration", "", onFiles, p.sum),
		},
	}
}

func badUsage(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("%w: %w", errUsage, err) }

// command takes as many arguments as its usage names: none or one.
func (p *program) command(name, usage, argument string, flags []cli.Flag, action cli.ActionFunc) *cli.Command {
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
			return action(c)
		},
	}
}

// answer writes v as JSON, or else the text.
func (p *program) answer(c *cli.Context, v any, text func(io.Writer) error) error {
	if c.Bool("json") {
		return json.NewEncoder(p.stdout).Encode(v)
	}
	return text(p.stdout)
}

func line(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	}
}

// onStore loads the migrations, connects, and calls work.
func (p *program) onStore(c *cli.Context, work func(context.Context, migrate.Store, []migrate.Migration) error) (err error) {
	var files fs.FS = migrations.FS
	if dir := c.String("dir"); dir != "" {
		files = os.DirFS(dir)
	}
	known, err := migrate.Load(files)
	if err != nil {
		return fmt.Errorf("load the migrations: %w", err)
	}
	bootstrap, err := schema.Bootstrap()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context, c.Duration("timeout"))
	defer cancel()
	conn, hangUp, err := p.connect(c)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := hangUp(); err == nil {
			err = closeErr
		}
	}()
	return work(ctx, surreal.NewMigrationStore(conn, bootstrap), known)
}

func (p *program) up(c *cli.Context) error {
	return p.onStore(c, func(ctx context.Context, store migrate.Store, known []migrate.Migration) error {
		opts := migrate.Options{BinaryVersion: version, Prepare: p.widen, OnStep: func(step migrate.Step) {
			if !step.Done {
				p.log.Info("applying", "file", step.File, "statements", step.Statements, "number", step.Number, "of", step.Of)
			}
		}}
		report, err := migrate.Up(ctx, store, known, opts)
		if err != nil {
			return err
		}
		if len(report.Applied) == 0 {
			return p.answer(c, report, line("up to date at version %d", report.To))
		}
		return p.answer(c, report, line("migrated from version %d to %d", report.From, report.To))
	})
}

func (p *program) status(c *cli.Context) error {
	return p.onStore(c, func(ctx context.Context, store migrate.Store, known []migrate.Migration) error {
		state, err := migrate.Status(ctx, store, known)
		if err != nil {
			return err
		}
		return p.answer(c, state, func(w io.Writer) error {
			for _, a := range state.Applied {
				if err := line("%04d %s, applied %s by %s in %d ms", a.Version, a.Name, a.AppliedAt.Format(time.RFC3339), a.BinaryVersion, a.DurationMS)(w); err != nil {
					return err
				}
			}
			return line("version %d of %d, %d pending", state.Current, state.Latest, len(state.Pending))(w)
		})
	})
}

func (p *program) plan(c *cli.Context) error {
	return p.onStore(c, func(ctx context.Context, store migrate.Store, known []migrate.Migration) error {
		pending, err := migrate.Plan(ctx, store, known)
		if err != nil {
			return err
		}
		return p.answer(c, map[string]any{"pending": pending}, func(w io.Writer) error {
			for _, next := range pending {
				if err := line("%s: %d statements", next.File, next.Statements)(w); err != nil {
					return err
				}
			}
			return line("%d to apply", len(pending))(w)
		})
	})
}

func (p *program) verify(c *cli.Context) error {
	return p.onStore(c, func(ctx context.Context, store migrate.Store, known []migrate.Migration) error {
		if err := migrate.Verify(ctx, store, known); err != nil {
			return err
		}
		return p.answer(c, map[string]any{"ok": true}, line("the database and the migrations belong together"))
	})
}

func (p *program) create(c *cli.Context) error {
	path, err := migrate.New(c.String("dir"), c.Args().First())
	if err != nil {
		return err
	}
	return p.answer(c, map[string]any{"file": path}, line("%s", path))
}

func (p *program) sum(c *cli.Context) error {
	if err := migrate.Sum(c.String("dir")); err != nil {
		return err
	}
	path := filepath.Join(c.String("dir"), migrate.SumFile)
	return p.answer(c, map[string]any{"file": path}, line("%s", path))
}
