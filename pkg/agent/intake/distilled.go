package intake

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Distilled stores a model's answer about a session, like a captured event: cleaned,
// journaled, and published. It returns the memories that were made or seen again.
func (in *Intake) Distilled(ctx context.Context, e memory.Event) ([]memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	in.writing.Lock()
	defer in.writing.Unlock()
	if err := in.NotOurs(); err != nil {
		return nil, err
	}
	e = cleanEvent(e, in.clean)
	if err := in.LearnAliases(ctx); err != nil {
		return nil, err
	}
	batch := ingest.Batch([]memory.Event{e}, in.Counter)
	in.Aliases.Adopt(&batch)
	err := in.Ledger.Write(func() ([]journal.Record, error) {
		if err := in.confirm(ctx, &batch, e); err != nil {
			return nil, err
		}
		if err := in.Store.Ingest(ctx, batch); err != nil {
			return nil, fmt.Errorf("store what was distilled of session %s: %w", e.Session, err)
		}
		return recordsOf([]memory.Event{e}, nil), nil
	})
	if err != nil {
		return nil, err
	}
	made, err := in.conclude(ctx, []string{e.Session}, nil)
	if err != nil {
		return nil, err
	}
	over := slices.DeleteFunc(made.sessions, func(s memory.Session) bool { return !s.State.Over() })
	in.publish(ctx, Committed{Memories: slices.Concat(batch.Memories, made.all), Sessions: over})
	return batch.Memories, nil
}

// confirm adds to a batch the sightings of those memories that are there and that a model
// says the session of an event confirms.
func (in *Intake) confirm(ctx context.Context, batch *memory.Batch, e memory.Event) error {
	all := ingest.Confirmed(e)
	if len(all) == 0 {
		return nil
	}
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.Memory
	}
	rows, err := in.Store.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, s := range all {
		if slices.ContainsFunc(rows, func(r memory.Row) bool { return r.Memory.ID == s.Memory }) {
			batch.Sightings = append(batch.Sightings, s)
		}
	}
	return nil
}
