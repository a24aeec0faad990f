// Package ingest turns captured hook events into rows for the store: events into memories, sessions, prompts and
// their links, and an ended session into a summary. It is pure, so ingesting an event again gives the same rows. It
// neither reads the spool nor writes the store.
//
// An event is read into drafts of memories, each draft is completed to a memory, and memories are merged into a batch.
package ingest

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
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

// merger makes a batch in which no row occurs twice. A row that occurs twice makes the engine roll the transaction back and repeat it.
type merger struct {
	batch memory.Batch
	// Indexes of rows in the batch, by id or key.
	sessions, memories, projects map[string]int
}

func newMerger() *merger {
	return &merger{sessions: map[string]int{}, memories: map[string]int{}, projects: map[string]int{}}
}

// drafts completes drafts, and adds their memories and sightings.
func (b *merger) drafts(all []draft) {
	for _, d := range all {
		m := completed(d)
		if old, isNew := place(b.memories, &b.batch.Memories, m.ID, m); !isNew {
			*old = book.MergeSightings(*old, m)
		}
		b.sighting(d, m.ID)
	}
}

// sighting adds the sighting of a draft's memory, and the links to the memories from which this one is derived. It adds
// the id to Asked if the memory was stored on request or the user said it, and to UserWritten if a person asked for it.
func (b *merger) sighting(d draft, id string) {
	seen := memory.Sighting{ID: d.of.ID, Memory: id, Session: d.of.Session, At: d.of.At}
	switch {
	case d.isExtracted:
		seen.ID = ofMemory(d.of.ID, id)
	case d.seen != nil:
		seen.ID, seen.At = d.seen.ID, d.seen.At
	}
	if d.seen != nil || d.of.Kind != memory.EventImported {
		b.batch.Sightings = append(b.batch.Sightings, seen)
	}
	if d.of.Kind == memory.EventRemembered || d.isExtracted && d.IsUsersWord() {
		b.batch.Asked = append(b.batch.Asked, id)
	}
	if sent := d.of.Import; d.isRequested || sent != nil && sent.Fate != nil && sent.Fate.UserWritten {
		b.batch.UserWritten = append(b.batch.UserWritten, id)
	}
	for _, source := range d.from {
		if source != id {
			b.batch.Derived = append(b.batch.Derived, memory.Derivation{Memory: id, From: source})
		}
	}
}

func (b *merger) rows(rows memory.Batch) {
	for _, p := range rows.Projects {
		if old, isNew := place(b.projects, &b.batch.Projects, p.Key, p); !isNew && p.SeenAt.After(old.SeenAt) {
			*old = p
		}
	}
	b.batch.Days = memory.AddNew(b.batch.Days, rows.Days...)
	for _, s := range rows.Sessions {
		if old, isNew := place(b.sessions, &b.batch.Sessions, s.ID, s); isNew {
			old.State = cmp.Or(s.State, memory.SessionActive)
		} else { // the newest of each value counts; a row without a state leaves the state unchanged
			*old = book.MergeSession(*old, s)
		}
	}
	b.batch.Prompts = append(b.batch.Prompts, rows.Prompts...)
	b.batch.Sightings = append(b.batch.Sightings, rows.Sightings...)
	b.batch.SessionEvents = append(b.batch.SessionEvents, rows.SessionEvents...)
}

// place returns the row with a key, after adding it if there is none.
func place[T any](index map[string]int, rows *[]T, key string, row T) (old *T, isNew bool) {
	at, known := index[key]
	if !known {
		at = len(*rows)
		index[key] = at
		*rows = append(*rows, row)
	}
	return &(*rows)[at], !known
}

// OnlyAsked keeps only the memories that a person asked to keep: in a prompt, on the command line, by an import, or
// in words that the assistant quotes. Events, prompts and sessions stay.
func OnlyAsked(b memory.Batch, events []memory.Event) memory.Batch {
	asked := slices.Clone(b.UserWritten)
	for _, e := range events {
		if e.Kind == memory.EventImported || e.Kind == memory.EventRemembered && e.Quote != "" {
			asked = append(asked, memory.Each(Batch([]memory.Event{e}).Memories, func(m memory.Memory) string { return m.ID })...)
		}
	}
	gone := map[string]bool{}
	for _, m := range b.Memories {
		gone[m.ID] = !slices.Contains(asked, m.ID)
	}
	b.Memories = slices.DeleteFunc(b.Memories, func(m memory.Memory) bool { return gone[m.ID] })
	b.Sightings = slices.DeleteFunc(b.Sightings, func(s memory.Sighting) bool { return gone[s.Memory] })
	b.Derived = slices.DeleteFunc(b.Derived, func(d memory.Derivation) bool { return gone[d.Memory] })
	return b
}
