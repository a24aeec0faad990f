// Package migrate updates a database from one schema version to the next. It loads numbered SurrealQL files, checks
// that they match the database's history, and applies the missing ones, each in a transaction, under a lock.
//
// It owns the numbering, the checksums and the order. A Store talks to the database, and guarantees that a file and
// its line of history take effect together or not at all. The package applies nothing to a database with an unknown
// history. It has no down migrations: the next migration corrects a mistake.
package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The reasons to refuse, for errors.Is. The wrapping error names the migration and the remedy.
var (
	// ErrEdited is returned if a file differs from the one applied under its number.
	ErrEdited = errors.New("the migration was edited after it was applied")
	// ErrNewer is returned if the database has migrations that this program lacks.
	ErrNewer = errors.New("a newer plugin wrote the database")
)

// Applied is one line of a database's history.
type Applied struct {
	Version       int       `json:"version"`
	Name          string    `json:"name"`
	SHA256        string    `json:"sha256"`
	BinaryVersion string    `json:"binary_version"`
	DurationMS    int64     `json:"duration_ms"`
	AppliedAt     time.Time `json:"applied_at"`
}

// Store is a database that can be migrated.
type Store interface {
	// Lock waits, at most until ctx ends, until no other migrator works on the database, and creates the tables for
	// the other methods. The lock is held until unlock is called.
	Lock(ctx context.Context) (unlock func() error, err error)
	// History returns the applied migrations in any order, or none for a database that was never migrated.
	History(ctx context.Context) ([]Applied, error)
	// Apply executes a migration and records it, both or neither. The store measures DurationMS. An error names the file and,
	// if a statement was refused, the statement's place in the file.
	Apply(ctx context.Context, m Migration, line Applied) error
}

type Options struct {
	// BinaryVersion is recorded in the history.
	BinaryVersion string
	// Prepare, if set, makes a database that may have data ready for long transactions. done ends this state.
	Prepare func() (done func())
}

// Report is the result of Up. From and To are schema versions, or 0 for a database that was never migrated.
type Report struct{ From, To int }

// Up applies the missing migrations in order and stops at the first failure; the Report then has the version of the last applied
// migration. It does not lock an up-to-date database. Concurrent callers wait for each other, and the second has nothing to do.
func Up(ctx context.Context, store Store, migrations []Migration, opts Options) (report Report, err error) {
	current, err := Version(ctx, store, migrations)
	if err != nil || current == len(migrations) {
		return Report{current, current}, err
	}
	if opts.Prepare != nil && current > 0 {
		defer opts.Prepare()()
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("lock the database for migration: %w", err)
	}
	defer func() {
		if unlockErr := unlock(); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock the database after migration: %w", unlockErr)
		}
	}()
	current, err = Version(ctx, store, migrations) // another migrator may have run in the meantime
	report = Report{current, current}
	if err != nil {
		return report, err
	}
	for _, m := range migrations[current:] {
		line := Applied{Version: m.Version, Name: m.Name, SHA256: m.SHA256, BinaryVersion: opts.BinaryVersion, AppliedAt: time.Now().UTC()}
		if err := store.Apply(ctx, m, line); err != nil {
			return report, fmt.Errorf("apply migration %d: %w", m.Version, err)
		}
		report.To = m.Version
	}
	return report, nil
}

// Version returns the newest applied version, or 0. It fails with ErrEdited or ErrNewer if history and files do not
// match; files that the history lacks are not an error.
func Version(ctx context.Context, store Store, migrations []Migration) (int, error) {
	history, err := store.History(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the migration history: %w", err)
	}
	history = slices.SortedFunc(slices.Values(history), func(a, b Applied) int { return a.Version - b.Version })
	return len(history), agree(history, migrations) // each was applied after the one before, so the last version is their number
}

// agree fails if the ordered history does not match the files.
func agree(history []Applied, migrations []Migration) error {
	for i, line := range history[:min(len(history), len(migrations))] {
		if m := migrations[i]; line.SHA256 != m.SHA256 {
			return fmt.Errorf("%w: %s has the checksum %.12s, but %.12s (%s) was applied. If the file was edited, restore it. If an unreleased build made this home, "+
				"run memory export --all all.jsonl with that build, then memory import export all.jsonl in a new home",
				ErrEdited, m.File, m.SHA256, line.SHA256, line.Name)
		}
	}
	if len(history) > len(migrations) {
		last := history[len(history)-1]
		return fmt.Errorf("%w: its schema is version %d (%s, applied by %s), this plugin supports %d",
			ErrNewer, last.Version, last.Name, last.BinaryVersion, len(migrations))
	}
	return nil
}

type Migration struct {
	Version int    // from 1
	Name    string // file name without number and extension
	File    string
	SQL     string
	SHA256  string // hash of the file, in hexadecimal
}

var fileName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9_]+)\.surql$`)

// Load reads the files NNNN_name.surql in the order of their numbers. It fails if a number is missing, and ignores files of other
// types. The tests of package migrations check that the embedded files are as migrations.sum says.
func Load(fsys fs.FS) ([]Migration, error) {
	entries, err := fs.ReadDir(fsys, ".") // sorted
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	var migrations []Migration
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".surql") {
			continue
		}
		parts := fileName.FindStringSubmatch(entry.Name())
		if parts == nil {
			return nil, fmt.Errorf("%s: not a migration's name: use NNNN_name.surql with a-z, 0-9 and _", entry.Name())
		}
		data, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		version, _ := strconv.Atoi(parts[1]) // four digits
		if version != len(migrations)+1 {
			return nil, fmt.Errorf("%s has the number %d, want %d: renumber it", entry.Name(), version, len(migrations)+1)
		}
		sum := sha256.Sum256(data)
		migrations = append(migrations, Migration{
			Version: version, Name: parts[2], File: entry.Name(), SQL: string(data), SHA256: hex.EncodeToString(sum[:]),
		})
	}
	return migrations, nil
}
