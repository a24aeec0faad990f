// Package ingest turns captured hook events into rows for the store: events into memories,
// sessions, prompts and their links, and a finished session into a summary. It is pure, so ingesting
// an event again gives the same rows. It neither reads the spool nor writes the store.
//
// Texts go one way: an event is read into drafts of memories, a draft is completed to a
// memory, and memories are merged into a batch.
package ingest

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Batch turns events into one batch for the store. It counts each memory's tokens, once, as recall
// will render them.
func Batch(events []memory.Event, counter memory.TokenCounter) memory.Batch {
	b := newMerger()
	for _, e := range events {
		b.rows(rowsOf(e))
		b.drafts(draftsOf(e), counter)
	}
	return b.batch
}

// Conclude derives memories that need whole sessions: the fixes of failing commands, and the summaries
// of sessions that are over. A memory that several sessions derive is there once.
func Conclude(records []memory.SessionRecord, counter memory.TokenCounter) memory.Batch {
	b := newMerger()
	for _, record := range records {
		b.drafts(fixes(record), counter)
		if !record.Session.State.Over() { // until then the last turn may add more
			continue
		}
		b.batch.Summaries = append(b.batch.Summaries, memory.SessionSummary{
			Session: record.Session.ID, Summary: Summary(record, counter),
		})
	}
	return b.batch
}
