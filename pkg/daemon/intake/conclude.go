package intake

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// concludedAtOnce is the number of sessions that one query reads and summarises. It limits the size of the answer.
const concludedAtOnce = 20

// derive returns the rows that follow from whole sessions: fixes of failed commands, and summaries of ended sessions.
func (in *Intake) derive(records []memory.SessionRecord) memory.Batch {
	batch := ingest.Conclude(records, in.Counter)
	if in.OnlyAsked() {
		batch = ingest.OnlyAsked(batch, nil)
	}
	return batch
}

// unseen returns the memories that no session in records has stated or was shown.
func unseen(all []memory.Memory, records []memory.SessionRecord) []memory.Memory {
	seen := map[string]bool{}
	for _, record := range records {
		for _, one := range record.Seen {
			seen[one.Memory.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(m memory.Memory) bool { return seen[m.ID] })
}

// Distilled stores a model's answer about a session like a captured event, and returns the memories that were made or seen again.
func (in *Intake) Distilled(ctx context.Context, e memory.Event) ([]memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	in.writing.Lock()
	defer in.writing.Unlock()
	if err := in.CheckOwned(); err != nil {
		return nil, err
	}
	e = in.cleanEvent(e)
	if err := in.LearnAliases(ctx); err != nil {
		return nil, err
	}
	batch := in.batchOf([]memory.Event{e})
	in.Aliases.Rekey(&batch)
	if err := in.confirm(ctx, &batch, e); err != nil {
		return nil, err
	}
	made, err := in.Store.Conclude(ctx, batch, []string{e.Session}, nil, in.derive)
	if err != nil {
		return nil, fmt.Errorf("store the distillation of session %s: %w", e.Session, err)
	}
	over := slices.DeleteFunc(made.Sessions, func(s memory.Session) bool { return !s.State.IsOver() })
	in.publish(ctx, Committed{Memories: slices.Concat(batch.Memories, made.Derived.Memories, made.Superseded), Sessions: over})
	return batch.Memories, nil
}

// confirm adds the sightings of the memories that e confirms. A confirmed fact counts as stated again at that time.
func (in *Intake) confirm(ctx context.Context, batch *memory.Batch, e memory.Event) error {
	all := ingest.Confirmed(e)
	if len(all) == 0 {
		return nil
	}
	ids := memory.Each(all, func(s memory.Sighting) string { return s.Memory })
	rows, err := in.Store.Rows(ctx, memory.WithIDs(ids))
	if err != nil {
		return err
	}
	for _, s := range all {
		at := slices.IndexFunc(rows, func(r memory.Row) bool { return r.Memory.ID == s.Memory })
		if at < 0 {
			continue
		}
		batch.Sightings = append(batch.Sightings, s)
		if m := rows[at].Memory; m.IsFact() && m.Status == memory.StatusActive && m.LastSeenAt.Before(s.At) {
			m.LastSeenAt, m.Session = s.At, s.Session
			batch.Memories = append(batch.Memories, m)
		}
	}
	return nil
}
