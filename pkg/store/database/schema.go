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

// Schema returns the parts of this version's schema that the database lacks, and with define adds them.
func (d *Database) Schema(ctx context.Context, define bool) ([]string, error) {
	store, names := surreal.NewMigrationStore(d.Conn), []string{}
	missing, err := store.Lacking(ctx)
	for _, one := range missing {
		names = append(names, one.String())
	}
	if supervisor := d.current(); define && len(missing) > 0 && err == nil {
		if supervisor != nil { // an index of many rows is a long transaction
			defer supervisor.EnlargeBuffers()()
		}
		err = store.Define(ctx, missing)
	}
	return names, err
}

// HasSchema fails with memory.ErrSchema and the missing parts if the database lacks this version's schema.
func (d *Database) HasSchema(ctx context.Context) error {
	err := lacking(ctx, surreal.NewMigrationStore(d.Conn))
	switch {
	case errors.Is(err, wire.ErrUnavailable):
		return memory.Mark(err, memory.ErrUnavailable)
	case err != nil:
		return fmt.Errorf("%w: %w", memory.ErrSchema, err)
	}
	return nil
}

// lacking fails if a database does not have this version's schema, or lacks some of its tables or fields.
func lacking(ctx context.Context, database *surreal.MigrationStore) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	state, err := migrate.Status(ctx, database, all)
	if err != nil {
		return err
	}
	if len(state.Pending) > 0 {
		return fmt.Errorf("it has schema version %d of %d", state.Current, state.Latest)
	}
	missing, err := database.Lacking(ctx, "TABLE", "FIELD") // no write fails for a missing index
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("it lacks %s", strings.Trim(fmt.Sprint(missing), "[]"))
	}
	return err
}
