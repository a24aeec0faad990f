package book

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// recordsAtOnce is how many records one query reads, which limits the size of its answer.
const recordsAtOnce = 20

// Ingest writes a batch in one transaction. Repeating it, or writing its parts in another order, gives the same rows: the newest
// event decides the values of a session or memory, and sightings and prompts count once by id. A summary completes a session that
// is being summarised; the summary of a missing session is skipped.
func (b *Book) Ingest(ctx context.Context, batch memory.Batch) error {
	_, err := b.Conclude(ctx, batch, nil, nil, func([]memory.SessionRecord) memory.Batch { return memory.Batch{} })
	return err
}

// Conclude ingests a batch as Ingest does, together with the rows that derive returns. derive gets the records of the sessions that
// have ended or are due, in their state after the batch. Unknown sessions are left out.
func (b *Book) Conclude(ctx context.Context, batch memory.Batch, sessions []string, isDue map[string]bool,
	derive func([]memory.SessionRecord) memory.Batch,
) (made memory.Conclusion, err error) {
	err = b.retried(ctx, func() error {
		keys := BatchKeys(batch)
		keys.Sessions = memory.Union(keys.Sessions, sessions)
		rows, err := b.store.Read(ctx, keys)
		if err == nil {
			err = b.readSuccessors(ctx, rows.Memories)
		}
		if err != nil {
			return err
		}
		batch := inOrder(batch, rows)
		if made, err = b.records(ctx, batch, rows, sessions, isDue); err != nil {
			return err
		}
		made.Derived = derive(made.Records)
		if derived := BatchKeys(made.Derived).Memories; len(derived) > 0 {
			more, err := b.store.Read(ctx, memory.Keys{Memories: derived})
			if err != nil {
				return err
			}
			maps.Copy(rows.Memories, more.Memories)
		}
		w := written(with(batch, made.Derived), rows)
		made.Superseded = w.superseded
		if len(w.write.Rows) == 0 && batch.Known.IsZero() {
			return nil
		}
		return b.apply(ctx, w.write, batch.Known)
	})
	if err != nil {
		return made, fmt.Errorf("ingest %d sessions, %d memories: %w", len(batch.Sessions), len(batch.Memories), err)
	}
	return made, nil
}

// readSuccessors adds the memories that superseded one of the rows, then the memories that superseded these, and so on.
func (b *Book) readSuccessors(ctx context.Context, rows map[string]memory.Row) error {
	for tried := map[string]bool{}; ; {
		var missing []string
		for _, row := range rows {
			if _, isThere := rows[row.SupersededBy]; row.SupersededBy != "" && !isThere && !tried[row.SupersededBy] {
				missing, tried[row.SupersededBy] = append(missing, row.SupersededBy), true
			}
		}
		if len(missing) == 0 {
			return nil
		}
		more, err := b.store.Read(ctx, memory.Keys{Memories: missing})
		if err != nil {
			return err
		}
		maps.Copy(rows, more.Memories)
	}
}

// with returns a batch together with the rows that were derived from it.
func with(batch, derived memory.Batch) memory.Batch {
	batch.Memories = slices.Concat(batch.Memories, derived.Memories)
	batch.Sightings = slices.Concat(batch.Sightings, derived.Sightings)
	batch.Derived = slices.Concat(batch.Derived, derived.Derived)
	batch.Summaries = slices.Concat(batch.Summaries, derived.Summaries)
	return batch
}

// records returns the sessions in their state after a batch, and the records of the sessions that have ended or are in isDue.
func (b *Book) records(ctx context.Context, batch memory.Batch, rows memory.Rows, sessions []string, isDue map[string]bool) (made memory.Conclusion, err error) {
	w := written(batch, rows)
	var due []string
	for _, id := range sessions {
		s, isThere := w.sessions[id]
		switch {
		case !isThere:
		case isDue[id] || s.State.IsOver():
			due = append(due, id)
		default:
			made.Sessions = append(made.Sessions, s)
		}
	}
	for some := range slices.Chunk(due, recordsAtOnce) {
		found, err := b.store.Records(ctx, memory.RecordsOf(some))
		if err != nil {
			return made, err
		}
		for _, id := range some {
			var stored memory.SessionRecord
			if at := slices.IndexFunc(found, func(r memory.SessionRecord) bool { return r.Session.ID == id }); at >= 0 {
				stored = found[at]
			}
			record := w.record(id, stored, batch)
			made.Records, made.Sessions = append(made.Records, record), append(made.Sessions, record.Session)
		}
	}
	return made, nil
}

// record returns the record of a session: what is stored, with the rows of the batch.
func (w *batchWrite) record(id string, stored memory.SessionRecord, b memory.Batch) memory.SessionRecord {
	r := memory.SessionRecord{Session: w.sessions[id], Prompts: stored.Prompts, Seen: stored.Seen, SessionEvents: stored.SessionEvents}
	for _, p := range b.Prompts {
		isIn := slices.ContainsFunc(stored.Prompts, func(old memory.Prompt) bool { return old.ID == p.ID })
		if p.Session == id && !isIn {
			r.Prompts = append(r.Prompts, p)
		}
	}
	slices.SortFunc(r.Prompts, func(a, b memory.Prompt) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for i := range r.Prompts {
		r.Prompts[i].Number = i + 1
	}
	r.Session.PromptCount = len(r.Prompts)
	for _, e := range b.SessionEvents {
		if e.Session == id {
			r.SessionEvents = append(r.SessionEvents, e)
		}
	}
	r.SessionEvents = memory.OfSession(id, r.SessionEvents)
	for i, seen := range r.Seen {
		if row, isChanged := w.memories[seen.Memory.ID]; isChanged {
			r.Seen[i].Memory = row.Memory
		}
	}
	for _, s := range b.Sightings {
		row, isThere := w.memories[s.Memory]
		isIn := slices.ContainsFunc(stored.Seen, func(old memory.Seen) bool { return old.ID == s.ID })
		if s.Session == id && isThere && !isIn {
			r.Seen = append(r.Seen, memory.Seen{ID: s.ID, Memory: row.Memory, At: s.At})
		}
	}
	slices.SortFunc(r.Seen, func(a, b memory.Seen) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return r
}
