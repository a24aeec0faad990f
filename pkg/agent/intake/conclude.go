package intake

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// drawn is what was derived from a whole session: all of it, and what the session had
// not shown before.
type drawn struct{ all, fresh []memory.Memory }

// conclude derives from a whole session what no single event tells: the fix of a
// failing command, if one has just succeeded, and the summary of an ended session and
// of each of its turns. It returns the session and the memories it wrote.
func (in *Intake) conclude(ctx context.Context, id string, succeeded bool) (memory.Session, drawn, error) {
	session, err := in.Store.Session(ctx, id)
	if err != nil || !succeeded && !session.State.Over() {
		return session, drawn{}, err
	}
	record, err := in.Store.SessionRecord(ctx, id)
	if err != nil {
		return session, drawn{}, err
	}
	batch := ingest.Fixes(record, in.Counter)
	if session.State.Over() { // until then the last turn may say more
		cards := ingest.Cards(record, in.Counter)
		batch.Memories = append(batch.Memories, cards.Memories...)
		batch.Sightings = append(batch.Sightings, cards.Sightings...)
	}
	if len(batch.Memories) > 0 {
		if err := in.Store.Ingest(ctx, batch); err != nil {
			return session, drawn{}, err
		}
	}
	made := drawn{batch.Memories, unseen(batch.Memories, record)}
	if !session.State.Over() {
		return session, made, nil
	}
	return session, made, in.Store.Summarise(ctx, id, ingest.Summary(record, in.Counter))
}

// unseen are the memories that a session has not shown.
func unseen(all []memory.Memory, record memory.SessionRecord) []memory.Memory {
	seen := map[string]bool{}
	for _, one := range record.Seen {
		seen[one.Memory.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(m memory.Memory) bool { return seen[m.ID] })
}

func sessionsWith(events []memory.Event, kind memory.EventKind) map[string]bool {
	found := map[string]bool{}
	for _, e := range events {
		if e.Kind == kind {
			found[e.Session] = true
		}
	}
	return found
}
