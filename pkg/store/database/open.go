package database

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// New returns the database of a home. It does not start the engine, whose output goes to output.
func New(layout paths.Layout, cfg config.Config, version string, log *slog.Logger, output io.Writer) (*Database, error) {
	return newDatabase(layout, cfg, version, 0, log, output)
}

// newDatabase is New with a time limit of calls; 0 means the default.
func newDatabase(layout paths.Layout, cfg config.Config, version string, limit time.Duration, log *slog.Logger, output io.Writer) (*Database, error) {
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return nil, err
	}
	options.Log, options.Output = log, output
	d := &Database{options: options, layout: layout, cfg: cfg, version: version, log: log, Report: func(daemonapi.Trouble) {}}
	d.Conn = wire.Open(wire.Options{
		Locate: d.locate, Namespace: cfg.Store.Namespace, Database: cfg.Store.Database, CallTimeout: limit, Log: log,
	})
	d.Store = surreal.NewStore(d.Conn)
	d.options.Ask, d.options.Verify = d.Conn.Answers, d.verify
	d.options.Use, d.options.Sleep = d.Conn, cfg.Daemon.EngineSleep
	return d, nil
}

// Prepare starts the engine, updates the schema and compares the store with the journal. If the data is damaged, it
// first rebuilds the store from backup and journal, and keeps the old data.
func (d *Database) Prepare(ctx context.Context) error {
	err := d.use(ctx)
	if !IsDamaged(err) || d.options.Remote.URL != "" {
		return err
	}
	if err := d.rebuild(ctx, err); err != nil {
		return err
	}
	return d.use(ctx)
}

// use starts the engine, updates the schema, and compares the store with the journal.
func (d *Database) use(ctx context.Context) error {
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := RefuseUnfinished(ctx, d.Store); err != nil {
		return err
	}
	if err := d.migrateUp(ctx); err != nil {
		return err
	}
	err := d.checkTail(ctx, d.Store)
	d.isChecked.Store(err == nil)
	return err
}
