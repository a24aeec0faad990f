// Package migrate brings a database from one schema version to the next: it loads numbered SurrealQL
// files, checks that they and the database's history belong together, and applies the missing ones, one
// transaction a file, under a lock.
//
// It owns the numbering, the checksums and the order. It does not talk to a database: a Store does, and keeps the
// promise that a file and its line of history take effect together or not at all. It never applies anything to a
// database whose history it does not recognise, and it has no down migrations: the next migration corrects a mistake.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Reasons to refuse, for errors.Is. The error around one names the migration and the remedy.
var (
	// ErrEdited: a file differs from the one applied under its number.
	ErrEdited = errors.New("migration was edited after it was applied")
	// ErrGap: the database's history leaves out a number.
	ErrGap = errors.New("migration history has a gap")
	// ErrNewer: the database has migrations that this program does not know.
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
	// Lock waits until no other migrator works on the database, bounded by ctx. It also prepares the
	// tables of the other methods. The lock is held until unlock, however long that takes.
	Lock(ctx context.Context) (unlock func(context.Context) error, err error)
	// History returns the applied migrations, in any order; nothing on a database that was never
	// migrated.
	History(ctx context.Context) ([]Applied, error)
	// Apply executes a migration and records it, both or neither. It returns the recorded line of
	// history, with the measured DurationMS. An error that a statement caused is an *ApplyError.
	Apply(ctx context.Context, m Migration, line Applied) (Applied, error)
}

// ApplyError names the file and the line that the database refused.
type ApplyError struct {
	File    string
	Line    int // from 1; 0 when no line is to blame
	Column  int // from 1; 0 when unknown
	Message string
}

func (e *ApplyError) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Message
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Options of Up.
type Options struct {
	// BinaryVersion goes into the history.
	BinaryVersion string
	// Now is the clock of the history. Default time.Now.
	Now func() time.Time
	// OnStep, when set, is told before a file is applied and again afterwards.
	OnStep func(Step)
	// Prepare, when set, readies the database for long transactions before files are applied to one that may hold data;
	// done ends that.
	Prepare func() (done func())
}

// Step is the argument of OnStep.
type Step struct {
	Planned
	Number, Of int // the number of the file in this run, from 1, and of all
	Done       bool
}

// Planned is a migration that Up would apply.
type Planned struct {
	Version    int    `json:"version"`
	Name       string `json:"name"`
	File       string `json:"file"`
	Statements int    `json:"statements"`
}

// Report counts the work of Up. From and To are schema versions, 0 for a database that was never
// migrated.
type Report struct {
	From    int       `json:"from"`
	To      int       `json:"to"`
	Applied []Applied `json:"applied"`
}

// State is the schema version of a database and the newest known one.
type State struct {
	Current int       `json:"current"` // newest applied version, 0 for none
	Latest  int       `json:"latest"`  // newest known version
	Applied []Applied `json:"applied"`
	Pending []Planned `json:"pending"`
}

// Up applies the missing migrations, in order, and stops at the first failure; the Report then tells
// the migrations applied before. A database that is up to date is not locked. Two callers at once take
// turns, and the second finds nothing to do.
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
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if unlockErr := unlock(releasing); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock the database after migration: %w", unlockErr)
		}
	}()
	state, err = Status(ctx, store, migrations) // another migrator may have had the lock before us
	report = Report{From: state.Current, To: state.Current, Applied: []Applied{}}
	if err != nil {
		return report, err
	}
	for i, m := range migrations[state.Current:] {
		step := Step{Planned: planned(m), Number: i + 1, Of: len(state.Pending)}
		opts.tell(step)
		line, err := store.Apply(ctx, m, Applied{
			Version: m.Version, Name: m.Name, SHA256: m.SHA256,
			BinaryVersion: opts.BinaryVersion, AppliedAt: opts.Now().UTC(),
		})
		if err != nil {
			return report, fmt.Errorf("apply migration %d: %w", m.Version, err)
		}
		report.To = m.Version
		report.Applied = append(report.Applied, line)
		step.Done = true
		opts.tell(step)
	}
	return report, nil
}

func (o Options) tell(step Step) {
	if o.OnStep != nil {
		o.OnStep(step)
	}
}

// Status compares history and files without changing anything. The State is filled in as far as it is known even when
// they do not agree; see Verify for those errors.
func Status(ctx context.Context, store Store, migrations []Migration) (State, error) {
	history, err := store.History(ctx)
	if err != nil {
		return State{Applied: []Applied{}, Pending: []Planned{}}, fmt.Errorf("read the migration history: %w", err)
	}
	history = slices.Clone(history)
	slices.SortFunc(history, func(a, b Applied) int { return a.Version - b.Version })
	state := State{Latest: len(migrations), Applied: append([]Applied{}, history...), Pending: []Planned{}}
	if len(history) > 0 {
		state.Current = history[len(history)-1].Version
	}
	for _, m := range migrations[min(state.Current, len(migrations)):] {
		state.Pending = append(state.Pending, planned(m))
	}
	return state, agree(history, migrations)
}

// Plan lists the migrations that Up would apply, in order.
func Plan(ctx context.Context, store Store, migrations []Migration) ([]Planned, error) {
	state, err := Status(ctx, store, migrations)
	return state.Pending, err
}

// Verify checks that history and files belong together: ErrEdited, ErrGap, ErrNewer, or nil. Pending migrations are no
// error.
func Verify(ctx context.Context, store Store, migrations []Migration) error {
	_, err := Status(ctx, store, migrations)
	return err
}

func planned(m Migration) Planned {
	return Planned{Version: m.Version, Name: m.Name, File: m.File, Statements: len(m.Statements)}
}

// agree expects history in order.
func agree(history []Applied, migrations []Migration) error {
	for i, line := range history {
		if want := i + 1; line.Version != want {
			return fmt.Errorf("%w: number %d is followed by %d: restore the database from a backup", ErrGap, i, line.Version)
		}
	}
	for i, line := range history[:min(len(history), len(migrations))] {
		if m := migrations[i]; line.SHA256 != m.SHA256 {
			return fmt.Errorf("%w: %s has checksum %.12s, applied was %.12s (%s): restore the file and put the change into a new migration",
				ErrEdited, m.File, m.SHA256, line.SHA256, line.Name)
		}
	}
	if len(history) > len(migrations) {
		last := history[len(history)-1]
		return fmt.Errorf("%w: it is at version %d (%s, applied by %s), this program knows %d: update the plugin",
			ErrNewer, last.Version, last.Name, last.BinaryVersion, len(migrations))
	}
	return nil
}
