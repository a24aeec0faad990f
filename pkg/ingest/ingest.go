// Package ingest turns captured hook events into rows for the store: events into memories, sessions, prompts and
// their links, and an ended session into a summary. It is pure, so ingesting an event again gives the same rows. It
// neither reads the spool nor writes the store.
//
// An event is read into drafts of memories, each draft is completed to a memory, and memories are merged into a
// batch.
package ingest

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Batch returns the rows made of events.
func Batch(events []memory.Event) memory.Batch {
	b := newMerger()
	for _, e := range events {
		b.rows(rowsOf(e))
		if read := kinds[e.Kind].drafts; read != nil {
			b.drafts(read(e))
		}
	}
	return b.batch
}

// Conclude returns the memories that are derived from whole sessions: fixes of failing commands, and summaries of
// ended sessions. A memory derived from several sessions occurs once.
func Conclude(records []memory.SessionRecord, counter memory.TokenCounter) memory.Batch {
	b := newMerger()
	for _, record := range records {
		b.drafts(fixes(record))
		if !record.Session.State.IsOver() { // the last turn may still add something
			continue
		}
		b.batch.Summaries = append(b.batch.Summaries, memory.SessionSummary{
			Session: record.Session.ID, Summary: Summary(record, counter),
		})
	}
	return b.batch
}
