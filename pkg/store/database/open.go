package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// New returns the database of a home. It does not start the engine, whose output goes to output.
func New(layout paths.Layout, cfg config.Config, version string, log *slog.Logger, output io.Writer) (*Database, error) {
	d, err := newDatabase(layout, cfg, version, 0, log, output)
	if err == nil {
		d.options.Verify = d.verify
	}
	return d, err
}

// Prepare starts the engine, updates the schema and compares the store with the journal. If the data is damaged, it
// first rebuilds the store from backup and journal, and keeps the old data.
func (d *Database) Prepare(ctx context.Context) error {
	err := d.use(ctx)
	if !errors.Is(err, memory.ErrDamaged) || d.options.Remote.URL != "" {
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
	source, err := d.UnfinishedRestore(ctx)
	if err != nil {
		return err
	}
	if source != "" {
		return fmt.Errorf("the database is the unfinished result of restoring %s: wait until the restore has ended, or run it again", source)
	}
	if err := d.migrateUp(ctx); err != nil {
		return err
	}
	err = d.checkTail(ctx, d.Store)
	d.isChecked.Store(err == nil)
	return err
}
