package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
)

// How many rows, and bytes of them, are inserted at once: a transaction costs more
// than its share when it grows, see BenchmarkBackup of package surreal.
const (
	chunkRows  = 100
	chunkBytes = 4 << 20
)

// Target is the database that a backup is restored into.
type Target struct {
	Store  TargetStore
	Schema migrate.Store
	// Migrations are all this program knows, and Version is its own.
	Migrations []migrate.Migration
	Version    string
	// IsCompared says that every row is read back and compared with the backup's, and not
	// only counted.
	IsCompared bool
}

// Restore brings a backup back into an empty database, and its schema up to
// date. Errors: those of Check, memory.ErrNotEmpty, those of the store. After an
// error the database is marked as unfinished, and Restore may be called again.
func Restore(ctx context.Context, path string, into Target) (Header, error) {
	header, err := Fill(ctx, path, into)
	if err != nil {
		return header, err
	}
	return header, into.Store.EndRestore(ctx)
}

// Fill is Restore for a caller that restores more afterwards: the mark stays until
// EndRestore.
func Fill(ctx context.Context, path string, into Target) (Header, error) {
	header, err := Check(path) // before anything is touched
	if err != nil {
		return header, err
	}
	known, err := madeBy(header, into.Migrations)
	if err != nil {
		return header, fmt.Errorf("restore %s: %w", path, err)
	}
	if err := into.Store.BeginRestore(ctx, filepath.Base(path)); err != nil {
		return header, err
	}
	options := migrate.Options{BinaryVersion: into.Version}
	if _, err := migrate.Up(ctx, into.Schema, known, options); err != nil {
		return header, fmt.Errorf("restore %s: make its schema: %w", path, err)
	}
	if err := insert(ctx, path, into.Store); err != nil {
		return header, fmt.Errorf("restore %s: %w", path, err)
	}
	if err := verify(ctx, header, into.Store); err != nil {
		return header, fmt.Errorf("restore %s: %w", path, err)
	}
	if err := compare(ctx, path, into); err != nil {
		return header, fmt.Errorf("restore %s: %w", path, err)
	}
	if _, err := migrate.Up(ctx, into.Schema, into.Migrations, options); err != nil {
		return header, fmt.Errorf("restore %s: bring its schema up to date: %w", path, err)
	}
	return header, nil
}

// Empty makes an empty database of the current schema, with the mark of an unfinished
// restore, for a caller that fills it without a backup.
func Empty(ctx context.Context, source string, into Target) error {
	if err := into.Store.BeginRestore(ctx, source); err != nil {
		return err
	}
	if _, err := migrate.Up(ctx, into.Schema, into.Migrations, migrate.Options{BinaryVersion: into.Version}); err != nil {
		return fmt.Errorf("make the schema: %w", err)
	}
	return nil
}

// madeBy returns the migrations that made the backup's schema, if this program
// knows them.
func madeBy(header Header, all []migrate.Migration) ([]migrate.Migration, error) {
	if header.SchemaVersion > len(all) {
		return nil, fmt.Errorf("%w: its schema is version %d, this program (see --version) knows %d: update the plugin and restore again",
			ErrNewer, header.SchemaVersion, len(all))
	}
	if header.SchemaVersion != len(header.Schema) {
		return nil, fmt.Errorf("%w: its schema is version %d with %d migrations", ErrDamaged, header.SchemaVersion, len(header.Schema))
	}
	for i, applied := range header.Schema {
		if m := all[i]; applied.Version != m.Version || applied.SHA256 != m.SHA256 {
			return nil, fmt.Errorf("%w: its migration %d (%s) is not the one this program has: restore it with the version that made it, %s",
				migrate.ErrEdited, applied.Version, applied.Name, header.Product)
		}
	}
	return all[:header.SchemaVersion], nil
}

func insert(ctx context.Context, path string, store TargetStore) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	var table string
	var rows [][]byte
	size := 0
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := store.CopyIn(ctx, table, rows)
		rows, size = nil, 0
		return err
	}
	for {
		next, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return flush()
		}
		if err != nil {
			return err
		}
		if next != table || len(rows) == chunkRows || size > chunkBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		table, rows, size = next, append(rows, row), size+len(row)
	}
}

// verify compares the restored tables with the backup's header, before the schema is
// brought up to date.
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
		return fmt.Errorf("the restored rows are not the backup's: %w", err)
	}
	return nil
}

// compare compares the content of the restored rows with the backup's, if that is wanted.
func compare(ctx context.Context, path string, into Target) error {
	if !into.IsCompared {
		return nil
	}
	want, err := DigestOfFile(path)
	if err != nil {
		return err
	}
	got, err := DigestOf(ctx, into.Store)
	if err == nil && got != want {
		err = fmt.Errorf("the restored rows are not the backup's: %d rows with the hash %s, want %d with %s", got.Rows, got.SHA256, want.Rows, want.SHA256)
	}
	return err
}
