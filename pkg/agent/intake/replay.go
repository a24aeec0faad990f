package intake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Replayed says what Replay did.
type Replayed struct {
	Events  int // stored
	Changes int // made
	Known   int // changes that were made already
	// Refused are the records that the store would not take, and why; Problems the
	// parts of the journal that cannot be read.
	Refused  []string
	Problems []journal.Problem
}

// ReplayStore is the store in which a replay repeats changes by hand.
type ReplayStore interface {
	Changes
	HasRun(ctx context.Context, id string) (bool, error)
	Ingest(ctx context.Context, b memory.Batch) error
}

// Replay stores what a journal holds from a position on: events as if they had just
// been captured, and changes by hand, each once. Replaying what the store has already
// changes nothing.
func (in *Intake) Replay(ctx context.Context, store ReplayStore, dir string, from journal.From) (Replayed, error) {
	r := replay{intake: in, store: store, sessions: map[string]bool{}}
	report, err := journal.ReadFrom(dir, from, func(record journal.Record) error { return r.take(ctx, record) })
	r.done.Problems = report.Problems
	if err == nil {
		err = r.flush(ctx)
	}
	if err == nil {
		err = r.conclude(ctx)
	}
	if err != nil {
		return r.done, fmt.Errorf("replay the journal: %w", err)
	}
	return r.done, nil
}

// replay is one Replay under way.
type replay struct {
	intake   *Intake
	store    ReplayStore
	waiting  []memory.Event
	sessions map[string]bool // seen, and whether a command succeeded in it
	done     Replayed
}

func (r *replay) take(ctx context.Context, record journal.Record) error {
	record = CleanRecord(record, r.intake.clean) // an older version may have written it
	if record.Event != nil {
		event := *record.Event
		if !record.At.IsZero() {
			event = received(event, record.At)
		}
		r.waiting = append(r.waiting, event)
		if len(r.waiting) < r.intake.BatchSize {
			return nil
		}
		return r.flush(ctx)
	}
	if err := r.flush(ctx); err != nil { // the change may concern the waiting events
		return err
	}
	err := r.change(ctx, record)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil:
		return err
	}
	r.done.Refused = append(r.done.Refused, fmt.Sprintf("a change of %s: %v", record.At.Format(time.RFC3339), err))
	return nil
}

func (r *replay) flush(ctx context.Context) error {
	events := r.waiting
	r.waiting = nil
	return r.ingest(ctx, events)
}

// store writes events as one batch, or in halves until the one that the store
// refuses is alone.
func (r *replay) ingest(ctx context.Context, events []memory.Event) error {
	if len(events) == 0 {
		return nil
	}
	sessions, err := r.intake.restoreEvents(ctx, events)
	if err == nil {
		r.done.Events += len(events)
		succeeded := sessionsWith(events, memory.EventCommandSucceeded)
		for _, id := range sessions {
			r.sessions[id] = r.sessions[id] || succeeded[id]
		}
		return nil
	}
	if errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	if len(events) == 1 {
		r.done.Refused = append(r.done.Refused, fmt.Sprintf("event %s: %v", events[0].ID, err))
		return nil
	}
	half := len(events) / 2
	if err := r.ingest(ctx, events[:half]); err != nil {
		return err
	}
	return r.ingest(ctx, events[half:])
}

// change repeats one change, unless the store has it.
func (r *replay) change(ctx context.Context, record journal.Record) error {
	switch {
	case record.Amended != nil:
		return r.amend(ctx, *record.Amended)
	case record.Renamed != nil:
		r.done.Changes++
		return r.store.RenameProject(ctx, record.Renamed.Project, record.Renamed.Name)
	case record.Merged != nil:
		r.done.Changes++
		return r.intake.Rewrite(ctx, func(ctx context.Context) error {
			_, err := r.store.MergeProjects(ctx, record.Merged.From, record.Merged.Into)
			return err
		})
	case record.Purged != nil:
		r.done.Changes++
		err := r.intake.Rewrite(ctx, func(ctx context.Context) error { return r.purge(ctx, record.Purged.Project) })
		if errors.Is(err, memory.ErrNotFound) { // there is nothing to purge
			return nil
		}
		return err
	}
	return nil
}

func (r *replay) purge(ctx context.Context, project string) (err error) {
	if project == "" {
		_, err = r.store.PurgeAll(ctx)
	} else {
		_, err = r.store.PurgeProject(ctx, project)
	}
	return err
}

// amend changes a memory. A missing memory was made by maintenance and not by an event:
// it is first stored as it was.
func (r *replay) amend(ctx context.Context, amended journal.Amended) error {
	c := amended.Change
	known, err := r.store.HasRun(ctx, c.ID)
	if err != nil {
		return err
	}
	if known {
		r.done.Known++
		return nil
	}
	_, _, err = r.store.Amend(ctx, amended.Before.ID, c)
	if errors.Is(err, memory.ErrNotFound) {
		if err := r.store.Ingest(ctx, memory.Batch{Memories: []memory.Memory{amended.Before}}); err != nil {
			return err
		}
		_, _, err = r.store.Amend(ctx, amended.Before.ID, c)
	}
	if err == nil {
		r.done.Changes++
	}
	return err
}

// conclude summarises the sessions after all their events are stored.
func (r *replay) conclude(ctx context.Context) error {
	ids := slices.Sorted(maps.Keys(r.sessions)) // those that were purged since are left out
	_, err := r.intake.conclude(ctx, ids, r.sessions)
	return err
}

// restoreEvents stores journaled events, and returns their sessions. Unlike new events
// they bring back nothing that was archived by hand: bringing it back was a change and
// is journaled as one.
func (in *Intake) restoreEvents(ctx context.Context, events []memory.Event) ([]string, error) {
	var captured, imported []memory.Event
	for _, e := range events {
		if memory.IsImportID(e.ID) || e.Import != nil { // a transcript's are like captured ones
			imported = append(imported, e)
		} else {
			captured = append(captured, e)
		}
	}
	if err := in.LearnAliases(ctx); err != nil {
		return nil, err
	}
	var sessions []string
	if len(captured) > 0 {
		batch := ingest.Batch(captured, in.Counter)
		in.Aliases.Adopt(&batch)
		if err := in.Store.Ingest(ctx, batch); err != nil {
			return nil, err
		}
		sessions = sessionsOf(batch)
	}
	if len(imported) > 0 {
		if _, err := in.importBatch(ctx, imported, new(agentapi.ImportResult)); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}
