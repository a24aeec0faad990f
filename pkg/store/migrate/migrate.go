// Package migrate updates a database from one schema version to the next. It loads numbered SurrealQL files, checks
// that they match the database's history, and applies the missing ones, each in a transaction, under a lock.
//
// It owns the numbering, the checksums and the order. A Store talks to the database, and guarantees that a file and
// its line of history take effect together or not at all. The package applies nothing to a database with an unknown
// history. It has no down migrations: the next migration corrects a mistake.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The reasons to refuse, for errors.Is. The wrapping error names the migration and the remedy.
var (
	// ErrEdited is returned if a file differs from the one applied under its number.
	ErrEdited = errors.New("migration was edited after it was applied")
	// ErrGap is returned if a number is missing in the database's history.
	ErrGap = errors.New("migration history has a gap")
	// ErrNewer is returned if the database has migrations that this program lacks.
	ErrNewer = errors.New("database is newer than this program")
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
	// Apply executes a migration and records it, both or neither. It returns the recorded line of history with the
	// measured DurationMS. Its error names the file, and of a refused statement its place.
	Apply(ctx context.Context, m Migration, line Applied) (Applied, error)
}

// Options are options of Up.
type Options struct {
	// BinaryVersion is recorded in the history.
	BinaryVersion string
	// Now is the clock for the history. The default is time.Now.
	Now func() time.Time
	// Prepare, if set, prepares the database for long transactions, before files are applied to a database that may
	// contain data. done ends the preparation.
	Prepare func() (done func())
}

// Report is the result of Up. From and To are schema versions, or 0 for a database that was never migrated.
type Report struct {
	From    int       `json:"from"`
	To      int       `json:"to"`
	Applied []Applied `json:"applied"`
}

// State is the schema version of a database and the newest available one.
type State struct {
	Current int       `json:"current"` // newest applied version, or 0
	Latest  int       `json:"latest"`  // newest version in this program
	Applied []Applied `json:"applied"`
	Pending []string  `json:"pending"` // files
}

// Up applies the missing migrations in order and stops at the first failure; the Report then has the migrations
// applied before it. It does not lock an up-to-date database. Concurrent callers wait for each other, and the
// second has nothing to do.
func Up(ctx context.Context, store Store, migrations []Migration, opts Options) (report Report, err error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	state, err := Status(ctx, store, migrations)
	if err != nil || len(state.Pending) == 0 {
		return Report{From: state.Current, To: state.Current, Applied: []Applied{}}, err
	}
	if opts.Prepare != nil && state.Current > 0 {
		defer opts.Prepare()()
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		return Report{Applied: []Applied{}}, fmt.Errorf("lock the database for migration: %w", err)
	}
	defer func() {
		if unlockErr := unlock(); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock the database after migration: %w", unlockErr)
		}
	}()
	state, err = Status(ctx, store, migrations) // another migrator may have run in the meantime
	report = Report{From: state.Current, To: state.Current, Applied: []Applied{}}
	if err != nil {
		return report, err
	}
	for _, m := range migrations[state.Current:] {
		line, err := store.Apply(ctx, m, Applied{
			Version: m.Version, Name: m.Name, SHA256: m.SHA256,
			BinaryVersion: opts.BinaryVersion, AppliedAt: opts.Now().UTC(),
		})
		if err != nil {
			return report, fmt.Errorf("apply migration %d: %w", m.Version, err)
		}
		report.To = m.Version
		report.Applied = append(report.Applied, line)
	}
	return report, nil
}

// Status compares history and files without changing anything. If they do not match, it returns ErrEdited, ErrGap
// or ErrNewer with as much of the State as possible. Pending migrations are not an error.
func Status(ctx context.Context, store Store, migrations []Migration) (State, error) {
	history, err := store.History(ctx)
	if err != nil {
		return State{Applied: []Applied{}, Pending: []string{}}, fmt.Errorf("read the migration history: %w", err)
	}
	history = slices.Clone(history)
	slices.SortFunc(history, func(a, b Applied) int { return a.Version - b.Version })
	state := State{Latest: len(migrations), Applied: append([]Applied{}, history...), Pending: []string{}}
	if len(history) > 0 {
		state.Current = history[len(history)-1].Version
	}
	for _, m := range migrations[min(state.Current, len(migrations)):] {
		state.Pending = append(state.Pending, m.File)
	}
	return state, agree(history, migrations)
}

// agree fails if the ordered history does not match the files.
func agree(history []Applied, migrations []Migration) error {
	for i, line := range history {
		if want := i + 1; line.Version != want {
			return fmt.Errorf("%w: number %d is followed by %d: restore the database from a backup", ErrGap, i, line.Version)
		}
	}
	for i, line := range history[:min(len(history), len(migrations))] {
		if m := migrations[i]; line.SHA256 != m.SHA256 {
			return fmt.Errorf("%w: %s has the checksum %.12s, but %.12s (%s) was applied. If the file was edited, restore it. If an unreleased build made this home, "+
				"run memory export --all all.jsonl with that build, then memory import export --mine all.jsonl in a new home",
				ErrEdited, m.File, m.SHA256, line.SHA256, line.Name)
		}
	}
	if len(history) > len(migrations) {
		last := history[len(history)-1]
		return fmt.Errorf("%w: it is at version %d (%s, applied by %s), this program supports %d: update the plugin",
			ErrNewer, last.Version, last.Name, last.BinaryVersion, len(migrations))
	}
	return nil
}
