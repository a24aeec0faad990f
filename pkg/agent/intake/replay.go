package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Replayed counts the work of Replay.
type Replayed struct {
	Events  int // stored
	Changes int // made: by hand, and the steps of runs
	// Refused are the records that the store would not take, and why; Problems the
	// parts of the journal that cannot be read.
	Refused  []string
	Problems []journal.Problem
}

// ReplayStore is the store in which a replay repeats the journaled writes.
type ReplayStore interface {
	Changes
	Ingest(ctx context.Context, b memory.Batch) error
	Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error)
	Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error)
}

// Replay repeats the records of a journal after a segment, or all after "", in their order:
// events as if they had just been captured, in the batches in which they were, and changes
// and runs. The store has none of them.
func (in *Intake) Replay(ctx context.Context, store ReplayStore, dir, after string) (Replayed, error) {
	r := replay{intake: in, store: store}
	report, err := journal.Read(dir, after, func(record journal.Record) error { return r.take(ctx, record) })
	r.done.Problems = report.Problems
	if err == nil {
		err = r.flush(ctx)
	}
	if err != nil {
		return r.done, fmt.Errorf("replay the journal: %w", err)
	}
	return r.done, nil
}

// replay is one Replay under way.
type replay struct {
	intake *Intake
	store  ReplayStore

	// The batch whose records are being read: they have the same time.
	at      time.Time
	waiting []memory.Event
	weighed map[string]float64

	done Replayed
}

func (r *replay) take(ctx context.Context, record journal.Record) error {
	record = CleanRecord(record, r.intake.clean) // more may count as a secret than when it was written
	if !record.At.Equal(r.at) {
		if err := r.flush(ctx); err != nil {
			return err
		}
		r.at = record.At
	}
	switch {
	case record.Weighed != nil:
		r.weighed = record.Weighed.Importance
		return nil
	case record.Event != nil:
		r.waiting = append(r.waiting, *record.Event)
		return nil
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	err := r.change(ctx, record)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil:
		return err
	}
	r.refuse("a change of %s: %v", record.At.Format(time.RFC3339), err)
	return nil
}

func (r *replay) refuse(format string, args ...any) {
	r.done.Refused = append(r.done.Refused, fmt.Sprintf(format, args...))
}

func (r *replay) flush(ctx context.Context) error {
	events := r.waiting
	err := inHalves(ctx, len(events), func(from, to int) error { return r.restore(ctx, events[from:to]) }, func(at int, reason error) error {
		r.refuse("event %s: %v", events[at].ID, reason)
		return nil
	})
	r.waiting, r.weighed = nil, nil
	return err
}

// restore stores journaled events. Unlike new events they bring back nothing that was
// archived by hand: bringing it back was a change and is journaled as one.
func (r *replay) restore(ctx context.Context, events []memory.Event) error {
	in := r.intake
	var captured, imported []memory.Event
	for _, e := range events {
		if memory.IsImportID(e.ID) || e.Import != nil { // a transcript's are like captured ones
			imported = append(imported, e)
		} else {
			captured = append(captured, e)
		}
	}
	if err := in.LearnAliases(ctx); err != nil {
		return err
	}
	batch, err := r.batch(ctx, captured)
	if err == nil && len(captured) > 0 {
		err = in.Store.Ingest(ctx, batch)
	}
	if err == nil && len(imported) > 0 {
		_, err = in.importBatch(ctx, imported, new(agentapi.ImportResult))
	}
	if err != nil {
		return err
	}
	r.done.Events += len(events)
	return nil
}

// batch is the batch that captured events are stored as.
func (r *replay) batch(ctx context.Context, events []memory.Event) (memory.Batch, error) {
	batch := ingest.Batch(events, r.intake.Counter)
	r.intake.Aliases.Adopt(&batch)
	for i, m := range batch.Memories {
		if importance, isWeighed := r.weighed[m.ID]; isWeighed {
			batch.Memories[i].Importance = importance
		}
	}
	for _, e := range events {
		if e.Kind != memory.EventDistilled {
			continue
		}
		if err := r.intake.confirm(ctx, &batch, e); err != nil {
			return batch, err
		}
	}
	return batch, nil
}

// change repeats one change.
func (r *replay) change(ctx context.Context, record journal.Record) error {
	switch {
	case record.Concluded != nil:
		return r.concluded(ctx, record.Concluded.Sessions)
	case record.Amended != nil:
		return r.amend(ctx, *record.Amended)
	case record.Ran != nil:
		return r.ran(ctx, *record.Ran)
	case record.Wrote != nil:
		return r.wrote(ctx, *record.Wrote)
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
		err := r.intake.Rewrite(ctx, func(ctx context.Context) error {
			_, err := r.store.Purge(ctx, record.Purged.Project)
			return err
		})
		if errors.Is(err, memory.ErrNotFound) { // there is nothing to purge
			return nil
		}
		return err
	}
	return nil
}

// amend changes a memory. A missing one is older than the journal, or another machine that
// shares the database made it: it is first stored as it was.
func (r *replay) amend(ctx context.Context, amended journal.Amended) error {
	_, _, err := r.store.Amend(ctx, amended.Before.ID, amended.Change)
	if errors.Is(err, memory.ErrNotFound) {
		if err := r.store.Ingest(ctx, memory.Batch{Memories: []memory.Memory{amended.Before}}); err != nil {
			return err
		}
		_, _, err = r.store.Amend(ctx, amended.Before.ID, amended.Change)
	}
	if err == nil {
		r.done.Changes++
	}
	return err
}

// ran repeats a step of a run. Its actions are applied to the present rows, as they were
// to the rows of then. A missing row was purged since, or is older than the journal.
func (r *replay) ran(ctx context.Context, step journal.Ran) error {
	c := step.Commit()
	ids := make([]string, len(c.Run.Actions))
	for i, a := range c.Run.Actions {
		ids[i] = a.Memory
	}
	rows, err := r.store.Rows(ctx, memory.RowQuery{IDs: ids})
	if err != nil {
		return err
	}
	cursors := make(map[string]memory.ChangeCursor, len(rows))
	for _, row := range rows {
		cursors[row.Memory.ID] = row.Cursor
	}
	c.Run.Actions = slices.DeleteFunc(c.Run.Actions, func(a memory.Action) bool {
		_, isThere := cursors[a.Memory]
		return !isThere && (a.Row == nil || a.Kind == memory.ActionRemove)
	})
	for i := range c.Run.Actions {
		c.Run.Actions[i].Cursor = cursors[c.Run.Actions[i].Memory]
	}
	missed, err := r.store.Commit(ctx, c)
	if err != nil {
		return err
	}
	r.done.Changes++
	if len(missed) > 0 {
		r.refuse("%d of %d changes of run %s (%s): the memories are otherwise than they were", len(missed), len(ids), c.Run.ID, c.Run.Job)
	}
	return nil
}

// leaseTime is how long writing one row of the queue of distillation may take.
const leaseTime = time.Minute

// wrote repeats a write of whole rows.
func (r *replay) wrote(ctx context.Context, w journal.Wrote) error {
	switch {
	case w.Batch != nil:
		return r.rows(ctx, *w.Batch)
	case w.Distillation != nil:
		lease, err := r.store.Acquire(ctx, "replay", "replay", leaseTime)
		if err == nil {
			_, err = r.store.Commit(ctx, memory.Commit{Lease: &lease, Distillation: w.Distillation})
		}
		return err
	}
	return nil
}

// rows writes rows as they were, but for the uses of memories that were purged since.
func (r *replay) rows(ctx context.Context, b memory.Batch) error {
	if len(b.Uses) > 0 {
		ids := make([]string, len(b.Uses))
		for i, u := range b.Uses {
			ids[i] = u.Memory
		}
		known, err := r.store.Rows(ctx, memory.RowQuery{IDs: ids})
		if err != nil {
			return err
		}
		b.Uses = slices.DeleteFunc(b.Uses, func(u memory.Use) bool {
			return !slices.ContainsFunc(known, func(row memory.Row) bool { return row.Memory.ID == u.Memory })
		})
	}
	return r.store.Ingest(ctx, b)
}

// concluded derives memories from sessions once more.
func (r *replay) concluded(ctx context.Context, ids []string) error {
	_, err := r.intake.concludeSome(ctx, ids, &concluded{failed: map[string]bool{}})
	return err
}
