package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// errTail means that the store has lost its last writes. An engine whose write-ahead log is damaged or missing opens an
// older state of the data without an error.
var errTail = memory.Mark(errors.New("the store has lost its last writes"), memory.ErrDamaged)

// checkTail fails with errTail if the store lacks the journal's last session, or that session's last event. It skips a
// remote store and a store that was just rebuilt.
func (d *Database) checkTail(ctx context.Context, store *surreal.Store) error {
	if d.options.Remote.URL != "" || d.cfg.Backup.JournalDays == 0 { // a remote server's data is its owner's concern
		return nil
	}
	if _, isRecent := d.lastRebuild(); isRecent {
		return nil
	}
	last, err := lastSession(d.layout.Journal())
	if err != nil {
		d.log.Warn("the store cannot be compared with the journal", "error", err)
		return nil
	}
	if last.ID == "" {
		return nil
	}
	sessions, err := store.Sessions(ctx, memory.SessionIDs{last.ID})
	if err != nil {
		return fmt.Errorf("compare the store with the journal: %w", err)
	}
	for _, s := range sessions {
		if !s.LastEventAt.Before(last.LastEventAt.Truncate(time.Microsecond)) {
			return nil
		}
	}
	return fmt.Errorf("%w: the journal has an event of %s", errTail, last.LastEventAt.UTC().Format(time.RFC3339))
}

// verify fails if the engine was restarted while the daemon ran, and has lost its last writes or its schema. It runs
// before anything else is stored.
func (d *Database) verify(ctx context.Context, at engine.Endpoint) error {
	if !d.isChecked.Load() {
		return nil // Prepare checks the store
	}
	conn := wire.Open(wire.Options{
		Locate:    func(context.Context) (engine.Endpoint, error) { return at, nil },
		Namespace: d.cfg.Store.Namespace, Database: d.cfg.Store.Database, Log: d.log,
	})
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err := d.checkTail(ctx, surreal.NewStore(conn))
	switch {
	case err == nil || errors.Is(err, memory.ErrDamaged):
		return err
	case errors.Is(err, memory.ErrUnavailable):
		d.log.Warn("the restarted engine cannot be compared with the journal", "error", err)
		return nil
	}
	return fmt.Errorf("%w: %w", errTail, err)
}

// lastSession returns the session that was journaled last, or a zero session if a later purge may have deleted it.
func lastSession(dir string) (memory.Session, error) {
	var last memory.Session
	err := journal.ReadLast(dir, func(r journal.Record) {
		_, isProject := r.Before.(memory.ProjectRow)
		switch session, isSession := r.After.(memory.Session); {
		case isProject && r.After == nil:
			last = memory.Session{}
		case isSession:
			last = session
		}
	})
	return last, err
}

// howDamaged returns a fault of the store's files as a text for people.
func howDamaged(fault error, isGone bool) string {
	switch {
	case isGone:
		return "the store's files were gone"
	case errors.Is(fault, errTail):
		return "the store had lost its last writes (its write-ahead log was damaged or missing)"
	}
	return "the store's files were damaged"
}
