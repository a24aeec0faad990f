// Package migrator opens the database of a home for migrations and runs the commands of memory-migrate on it.
package migrator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

const (
	callLimit = 30 * time.Second
	stopLimit = 10 * time.Second // time for the engine to exit
)

// Database is the database of a home, with the migrations of this program.
type Database struct {
	engine     *engine.Shared
	conn       *wire.Conn
	store      *surreal.MigrationStore
	migrations []migrate.Migration
	version    string // the version of this program
	log        *slog.Logger
}

// Answer is the result of a command, as a value for --json and as text.
type Answer struct {
	Value any
	Text  string
}

// Open loads the migrations of a directory and connects to the database that the settings select. The caller calls Close.
func Open(layout paths.Layout, store config.Store, dir fs.FS, version string, log *slog.Logger) (*Database, error) {
	all, err := migrate.Load(dir)
	if err != nil {
		return nil, fmt.Errorf("load the migrations: %w", err)
	}
	options, err := engine.OfHome(layout, store)
	if err != nil {
		return nil, err
	}
	options.Log = log
	shared := engine.NewShared(options, layout.Lock())
	conn := wire.Open(wire.Options{
		Locate: func(ctx context.Context) (wire.Endpoint, error) {
			endpoint, err := shared.Endpoint(ctx)
			return wire.Endpoint(endpoint), err
		},
		Namespace: store.Namespace, Database: store.Database, CallTimeout: callLimit, Log: log,
	})
	return &Database{shared, conn, surreal.NewMigrationStore(conn), all, version, log}, nil
}

// Close disconnects, and stops the engine if Open started it.
func (d *Database) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	return errors.Join(d.conn.Close(ctx), d.engine.Stop(ctx))
}

// Up applies the missing migrations.
func (d *Database) Up(ctx context.Context) (Answer, error) {
	opts := migrate.Options{
		BinaryVersion: d.version, Prepare: d.engine.EnlargeBuffers,
		OnStep: func(m migrate.Migration) { d.log.Info("applying", "file", m.File) },
	}
	report, err := migrate.Up(ctx, d.store, d.migrations, opts)
	if len(report.Applied) == 0 {
		return Answer{report, fmt.Sprintf("up to date at version %d", report.To)}, err
	}
	return Answer{report, fmt.Sprintf("migrated from version %d to %d", report.From, report.To)}, err
}

// Status lists the applied and the missing migrations. It fails if the history does not match the migrations.
func (d *Database) Status(ctx context.Context) (Answer, error) {
	state, err := migrate.Status(ctx, d.store, d.migrations)
	var text strings.Builder
	for _, a := range state.Applied {
		fmt.Fprintf(&text, "%04d %s, applied %s by %s in %d ms\n", a.Version, a.Name,
			a.AppliedAt.Format(time.RFC3339), a.BinaryVersion, a.DurationMS)
	}
	for _, file := range state.Pending {
		fmt.Fprintf(&text, "%s, to be applied\n", file)
	}
	fmt.Fprintf(&text, "version %d of %d, %d pending", state.Current, state.Latest, len(state.Pending))
	return Answer{state, text.String()}, err
}

// Drift lists the tables, fields and indexes of this version's schema that the database lacks, for example because
// somebody removed them. With define it adds them.
func (d *Database) Drift(ctx context.Context, define bool) (Answer, error) {
	state, err := migrate.Status(ctx, d.store, d.migrations)
	if err == nil && len(state.Pending) > 0 {
		err = errors.New("the database does not have this version's schema yet: run memory-migrate up first")
	}
	if err != nil {
		return Answer{}, err
	}
	missing, err := d.store.Lacking(ctx)
	if err != nil {
		return Answer{}, err
	}
	drift := struct {
		Missing []string `json:"missing"`
		Defined bool     `json:"defined"` // Missing has been added
	}{Missing: []string{}}
	var text strings.Builder
	for _, one := range missing {
		drift.Missing = append(drift.Missing, one.String())
		fmt.Fprintf(&text, "missing: %s\n", one)
	}
	if drift.Defined = define && len(missing) > 0; !drift.Defined {
		fmt.Fprintf(&text, "%d parts of the schema are missing", len(missing))
		return Answer{drift, text.String()}, nil
	}
	defer d.engine.EnlargeBuffers()()
	text.WriteString("all of it is defined again")
	return Answer{drift, text.String()}, d.store.Define(ctx, missing)
}
