package intake

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// conclude derives from a whole session what no single event tells: the fix of a
// failing command, if one has just succeeded, and the summary of an ended session and
// of each of its turns. It returns the session and the memories it wrote.
func (in *Intake) conclude(ctx context.Context, id string, succeeded bool) (memory.Session, []memory.Memory, error) {
	session, err := in.Store.Session(ctx, id)
	if err != nil || !succeeded && !session.State.Over() {
		return session, nil, err
	}
	record, err := in.Store.SessionRecord(ctx, id)
	if err != nil {
		return session, nil, err
	}
	drawn := ingest.Fixes(record, in.Counter)
	if session.State.Over() { // until then the last turn may say more
		cards := ingest.Cards(record, in.Counter)
		drawn.Memories = append(drawn.Memories, cards.Memories...)
		drawn.Sightings = append(drawn.Sightings, cards.Sightings...)
	}
	if len(drawn.Memories) > 0 {
		if err := in.Store.Ingest(ctx, drawn); err != nil {
			return session, nil, err
		}
	}
	if !session.State.Over() {
		return session, drawn.Memories, nil
	}
	return session, drawn.Memories, in.Store.Summarise(ctx, id, ingest.Summary(record, in.Counter))
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
