package backup

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

// chunkRows and chunkBytes limit one insert: its cost grows faster than its size (BenchmarkBackup of package surreal).
const (
	chunkRows  = 100
	chunkBytes = 4 << 20
)

// Target is the database into which a backup is restored.
type Target struct {
	Store  TargetStore
	Schema migrate.Store
	// Migrations are all migrations of this program. Version is the version of this program.
	Migrations []migrate.Migration
	Version    string
}

// Fill restores a backup into an empty database and migrates its schema. The database stays marked as unfinished until EndRestore, and
// Fill may be repeated. It fails with the errors of Check and of the store, and with memory.ErrNotEmpty.
func Fill(ctx context.Context, path string, into Target) (Header, error) {
	header, err := Check(path) // checks the file before any change
	if err != nil {
		return header, err
	}
	if err := into.fill(ctx, path, header); err != nil {
		return header, fmt.Errorf("restore %s: %w", path, err)
	}
	return header, nil
}

func (t Target) fill(ctx context.Context, path string, header Header) error {
	known, err := madeBy(header, t.Migrations)
	if err != nil {
		return err
	}
	if err := t.Store.BeginRestore(ctx, filepath.Base(path)); err != nil {
		return err
	}
	if err := t.migrate(ctx, known); err != nil {
		return fmt.Errorf("create its schema: %w", err)
	}
	rows := inserter{ctx: ctx, store: t.Store}
	if err := read(path, func(Header) error { return nil }, rows.row); err != nil {
		return err
	}
	if err := rows.flush(); err != nil {
		return err
	}
	if err := verify(ctx, header, t.Store); err != nil {
		return err
	}
	if err := t.migrate(ctx, t.Migrations); err != nil {
		return fmt.Errorf("the schema of the restored store could not be brought up to date: %w", err)
	}
	return nil
}

func (t Target) migrate(ctx context.Context, all []migrate.Migration) error {
	_, err := migrate.Up(ctx, t.Schema, all, migrate.Options{BinaryVersion: t.Version})
	return err
}

// Empty creates an empty database with the current schema, marked as an unfinished restore. The caller fills it.
func Empty(ctx context.Context, source string, into Target) error {
	if err := into.Store.BeginRestore(ctx, source); err != nil {
		return err
	}
	if err := into.migrate(ctx, into.Migrations); err != nil {
		return fmt.Errorf("create the schema: %w", err)
	}
	return nil
}

// madeBy returns the migrations that created the backup's schema. It fails if this program does not have them.
func madeBy(header Header, all []migrate.Migration) ([]migrate.Migration, error) {
	version := len(header.Schema)
	if version > len(all) {
		return nil, fmt.Errorf("%w: its schema is version %d, this program (see --version) supports %d: update the plugin and restore again",
			ErrNewer, version, len(all))
	}
	for i, applied := range header.Schema {
		if m := all[i]; applied.Version != m.Version || applied.SHA256 != m.SHA256 {
			return nil, memory.Mark(fmt.Errorf("the backup was written by version %s, whose migration %d (%s) differs from this program's: install that version, and restore the backup with it",
				header.Product, applied.Version, applied.Name), migrate.ErrEdited)
		}
	}
	return all[:version], nil
}

// inserter inserts rows in chunks.
type inserter struct {
	ctx   context.Context
	store TargetStore
	table string
	rows  [][]byte
	bytes int
}

func (i *inserter) row(table string, row []byte) error {
	if table != i.table || len(i.rows) == chunkRows || i.bytes > chunkBytes {
		if err := i.flush(); err != nil {
			return err
		}
	}
	i.table, i.rows, i.bytes = table, append(i.rows, row), i.bytes+len(row)
	return nil
}

func (i *inserter) flush() error {
	if len(i.rows) == 0 {
		return nil
	}
	err := i.store.CopyIn(i.ctx, i.table, i.rows)
	i.rows, i.bytes = nil, 0
	return err
}

// verify fails if the tables have other numbers of rows than the backup's header. It must be called before the schema is migrated.
func verify(ctx context.Context, header Header, store TargetStore) error {
	there, err := memory.TablesOf(ctx, store)
	if err != nil {
		return err
	}
	counted := map[string]int{}
	for _, table := range there {
		if table.Rows > 0 {
			counted[table.Name] = table.Rows
		}
	}
	if err := agree(header.Tables, counted); err != nil {
		return fmt.Errorf("the restored rows differ from the backup: %w", err)
	}
	return nil
}
