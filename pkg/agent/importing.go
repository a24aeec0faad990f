package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Import stores events that were made from what was remembered elsewhere. It is
// the way every captured event goes, except for three things: nothing that was
// put away comes back by it, a memory that is there and as new stays as it is,
// and what hooks captured of a session already is not added once more. So
// importing again changes nothing. An event that can never be stored is refused,
// and the others are stored all the same.
func (a *Agent) Import(ctx context.Context, p agentapi.ImportParams) (agentapi.ImportResult, error) {
	a.ingesting.Lock()
	defer a.ingesting.Unlock()
	var result agentapi.ImportResult
	valid := make([]memory.Event, 0, len(p.Events))
	for _, e := range p.Events {
		if err := e.Validate(); err != nil {
			result.Refused = append(result.Refused, agentapi.Refusal{ID: e.ID, Reason: err.Error()})
			continue
		}
		valid = append(valid, e)
	}
	return result, a.importAll(ctx, valid, &result)
}

// importAll writes events as one batch, or in halves until the one that the store
// refuses is alone.
func (a *Agent) importAll(ctx context.Context, events []memory.Event, result *agentapi.ImportResult) error {
	if len(events) == 0 {
		return nil
	}
	added, err := a.importBatch(ctx, events)
	if err == nil {
		err = a.recordEvents(events)
	}
	switch {
	case err == nil:
		result.Events += len(events)
		result.Added += added
		return nil
	case errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil:
		return err
	case len(events) == 1:
		result.Refused = append(result.Refused, agentapi.Refusal{ID: events[0].ID, Reason: err.Error()})
		return nil
	}
	half := len(events) / 2
	return errors.Join(a.importAll(ctx, events[:half], result), a.importAll(ctx, events[half:], result))
}

// importBatch returns how many memories are new.
func (a *Agent) importBatch(ctx context.Context, events []memory.Event) (added int, err error) {
	if err := a.learnAliases(ctx); err != nil {
		return 0, err
	}
	batch := ingest.Batch(events, a.Counter)
	a.adopt(&batch)
	added, err = a.leaveOutKnown(ctx, &batch)
	if err != nil {
		return 0, err
	}
	if err := a.leaveOutCaptured(ctx, &batch); err != nil {
		return 0, err
	}
	if err := a.Store.Ingest(ctx, batch); err != nil {
		return 0, err
	}
	written, over := batch.Memories, []memory.Session{}
	succeeded := sessionsWith(events, memory.EventCommandSucceeded)
	for _, id := range sessionsOf(batch) {
		session, fixes, err := a.conclude(ctx, id, succeeded[id])
		if errors.Is(err, memory.ErrNotFound) { // its rows come in another batch
			continue
		}
		if err != nil {
			return 0, err
		}
		written = append(written, fixes...)
		over = append(over, session)
	}
	a.restock(ctx, written, over)
	return added, a.refresh(ctx, written)
}

// sessionsOf lists those whose summary a batch may change.
func sessionsOf(b memory.Batch) []string {
	var ids []string
	for _, s := range b.Sessions {
		ids = append(ids, s.ID)
	}
	for _, p := range b.Prompts {
		ids = append(ids, p.Session)
	}
	for _, s := range b.Sightings {
		ids = append(ids, s.Session)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// leaveOutKnown drops the memories that the store has, as new as they are or
// newer: what was changed of one since must not change back.
func (a *Agent) leaveOutKnown(ctx context.Context, batch *memory.Batch) (added int, err error) {
	if len(batch.Memories) == 0 {
		return 0, nil
	}
	ids := make([]string, 0, len(batch.Memories))
	for _, m := range batch.Memories {
		ids = append(ids, m.ID)
	}
	found, err := a.Store.Rows(ctx, ids)
	if err != nil {
		return 0, err
	}
	known := make(map[string]memory.Memory, len(found))
	for _, row := range found {
		known[row.Memory.ID] = row.Memory
	}
	added = len(batch.Memories) - len(known)
	batch.Memories = slices.DeleteFunc(batch.Memories, func(m memory.Memory) bool {
		old, isKnown := known[m.ID]
		return isKnown && !m.LastSeenAt.After(old.LastSeenAt) && !m.CreatedAt.Before(old.CreatedAt)
	})
	return added, nil
}

// leaveOutCaptured drops the prompts and sightings that hooks captured of the
// same sessions. Their ids and times are other ones, so the content is compared.
func (a *Agent) leaveOutCaptured(ctx context.Context, batch *memory.Batch) error {
	type key struct{ session, content string }
	prompts, sightings := map[key]bool{}, map[key]bool{}
	for _, id := range sessionsOf(memory.Batch{Prompts: batch.Prompts, Sightings: batch.Sightings}) {
		activity, err := a.Store.Activity(ctx, id)
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for _, p := range activity.Prompts {
			if !memory.IsImportID(p.ID) {
				prompts[key{id, memory.OneLine(p.Text)}] = true
			}
		}
		for _, seen := range activity.Seen {
			if !memory.IsImportID(seen.ID) {
				sightings[key{id, seen.Memory.ID}] = true
			}
		}
	}
	batch.Prompts = slices.DeleteFunc(batch.Prompts, func(p memory.Prompt) bool {
		return memory.IsImportID(p.ID) && prompts[key{p.Session, memory.OneLine(p.Text)}]
	})
	batch.Sightings = slices.DeleteFunc(batch.Sightings, func(s memory.Sighting) bool {
		return memory.IsImportID(s.ID) && sightings[key{s.Session, s.Memory}]
	})
	return nil
}

// KnownSessions returns those of the sessions that the store has.
func (a *Agent) KnownSessions(ctx context.Context, ids []string) ([]memory.Session, error) {
	known := []memory.Session{}
	for _, id := range ids {
		session, err := a.Store.Session(ctx, id)
		if errors.Is(err, memory.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		known = append(known, session)
	}
	return known, nil
}

// Export returns a page of what is remembered, what waits in the spool included.
func (a *Agent) Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	if q.After == "" {
		if _, err := a.Ingest(ctx); err != nil {
			return memory.ExportPage{}, err
		}
	}
	if err := a.learnAliases(ctx); err != nil {
		return memory.ExportPage{}, err
	}
	if q.Project != "" {
		q.Project = a.aliases.of(q.Project)
	}
	return a.Store.Export(ctx, q)
}
