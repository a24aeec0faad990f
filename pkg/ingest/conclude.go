package ingest

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// Conclude derives memories that need whole sessions: the fixes of failing commands and,
// of sessions that are over, the question that is left open, a card of each turn and the
// summary. Sessions that derive the same memory give it once.
func Conclude(records []memory.SessionRecord, counter tokens.Counter) memory.Batch {
	b := builder{memories: map[string]int{}}
	for _, record := range records {
		b.derived(Fixes(record, counter))
		if !record.Session.State.Over() { // until then the last turn may say more
			continue
		}
		b.derived(Questions(record, counter))
		b.derived(Cards(record, counter))
		b.batch.Summaries = append(b.batch.Summaries, memory.SessionSummary{
			Session: record.Session.ID, Summary: Summary(record, counter),
		})
	}
	return b.batch
}

func (b *builder) derived(from memory.Batch) {
	for _, m := range from.Memories {
		b.merge(m)
	}
	b.batch.Sightings = append(b.batch.Sightings, from.Sightings...)
}
