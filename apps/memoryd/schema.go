package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// refuseUnfinished is an error if the database is an unfinished restore.
func refuseUnfinished(ctx context.Context, store *surreal.Store) error {
	person, err := store.Person(ctx)
	if err != nil || person.Name != "" { // it is with whoever administers the store
		return err
	}
	source, err := store.UnfinishedRestore(ctx)
	if err == nil && source != "" {
		err = fmt.Errorf("the database is the unfinished result of restoring %s: wait until that has ended, or run it again", source)
	}
	return err
}

// migrateUp brings the schema up to date; it is there already but for the first
// start after an installation or an upgrade.
func migrateUp(ctx context.Context, conn *wire.Conn, widen func() (narrow func()), log *slog.Logger) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	bootstrap, err := schema.Bootstrap()
	if err != nil {
		return err
	}
	person, err := surreal.NewStore(conn).Person(ctx)
	if err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	if person.Name != "" { // who has the store's own credentials does that
		if err := hasSchema(ctx, conn); err != nil {
			return fmt.Errorf("%w; whoever administers the store runs memory-migrate up of this version", err)
		}
		return nil
	}
	report, err := migrate.Up(ctx, surreal.NewMigrationStore(conn, bootstrap), all, migrate.Options{BinaryVersion: version, Prepare: widen})
	if err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	if report.From != report.To {
		store := surreal.NewStore(conn)
		store.Rights = schema.Rights
		if err := store.RenewRights(ctx); err != nil {
			return err
		}
		log.Info("the schema is up to date", "from", report.From, "to", report.To)
	}
	return nil
}

// hasSchema is memory.ErrSchema if the database has not the schema of this version, with what it lacks.
func hasSchema(ctx context.Context, conn *wire.Conn) error {
	person, err := surreal.NewStore(conn).Person(ctx)
	if err == nil {
		err = lacking(ctx, surreal.NewMigrationStore(conn, ""), person.Name == "")
	}
	switch {
	case errors.Is(err, wire.ErrUnavailable):
		return fmt.Errorf("%w: %w", memory.ErrUnavailable, err)
	case err != nil:
		return fmt.Errorf("%w: %w", memory.ErrSchema, err)
	}
	return nil
}

// lacking is an error if a database is not at this version's schema, or has lost tables or fields of it.
// A person of a store that several share reads no definitions.
func lacking(ctx context.Context, database *surreal.MigrationStore, readsDefinitions bool) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	state, err := migrate.Status(ctx, database, all)
	if err != nil {
		return err
	}
	if len(state.Pending) > 0 {
		return fmt.Errorf("it is at version %d of %d", state.Current, state.Latest)
	}
	if !readsDefinitions {
		return nil
	}
	definitions, err := schema.Definitions()
	if err != nil {
		return err
	}
	var wanted []surreal.Definition
	for _, d := range definitions {
		if d.Kind == "TABLE" || d.Kind == "FIELD" { // nothing is refused for want of an index
			wanted = append(wanted, surreal.Definition(d))
		}
	}
	missing, err := database.Missing(ctx, wanted)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("it lacks %s", strings.Trim(fmt.Sprint(missing), "[]"))
	}
	return err
}
