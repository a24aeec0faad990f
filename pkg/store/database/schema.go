package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// migrateUp updates the schema, which is only necessary at the first start after an installation or update.
func (d *Database) migrateUp(ctx context.Context) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	report, err := migrate.Up(ctx, surreal.NewMigrationStore(d.Conn), all,
		migrate.Options{BinaryVersion: d.version, Prepare: d.enlargeBuffers})
	if err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	if report.From != report.To {
		d.log.Info("the schema is up to date", "from", report.From, "to", report.To)
	}
	return nil
}

// defineMissing adds the parts of this version's schema that the database lacks.
func (d *Database) defineMissing(ctx context.Context) error {
	store := surreal.NewMigrationStore(d.Conn)
	missing, err := store.Lacking(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	d.log.Warn("the database lacks parts of the schema, which are defined again", "parts", missing)
	defer d.enlargeBuffers()() // an index of many rows is a long transaction
	return store.Define(ctx, missing)
}

// HasSchema fails with memory.ErrSchema if the database does not have this version's schema, or lacks some of its tables or fields.
func (d *Database) HasSchema(ctx context.Context) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	store := surreal.NewMigrationStore(d.Conn)
	version, err := migrate.Version(ctx, store, all)
	if err == nil && version < len(all) {
		err = fmt.Errorf("it has schema version %d of %d", version, len(all))
	}
	if err == nil {
		missing, failed := store.Lacking(ctx, "TABLE", "FIELD") // no write fails for a missing index
		if err = failed; err == nil && len(missing) > 0 {
			err = fmt.Errorf("it lacks %s", strings.Trim(fmt.Sprint(missing), "[]"))
		}
	}
	if err != nil && !errors.Is(err, wire.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", memory.ErrSchema, err)
	}
	return err
}
