package intake

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// concludedAtOnce is how many sessions are read and summarised by one query each. It
// bounds the size of the answer.
const concludedAtOnce = 20

// sessionsAtOnce is how many sessions one query reads without their events.
const sessionsAtOnce = 500

// concluded holds the memories derived from whole sessions.
type concluded struct {
	sessions []memory.Session // those that the store has, as they were before
	all      []memory.Memory  // derived
	failed   map[string]bool  // of those whose record was read: whether a command failed
	fresh    []memory.Memory  // derived, and shown by none of these sessions before
}

// conclude derives memories that need whole sessions: the fix of a failing command, if
// one has just succeeded, and the summary of an ended session and of each of its turns.
// Due sessions are read whether they are over or not, others only if they are. Sessions
// that the store does not have are left out.
func (in *Intake) conclude(ctx context.Context, ids []string, isDue map[string]bool) (concluded, error) {
	made := concluded{failed: map[string]bool{}}
	var due, others []string
	for _, id := range ids {
		if isDue[id] {
			due = append(due, id)
		} else {
			others = append(others, id)
		}
	}
	known, err := in.sessionsByID(ctx, others)
	if err != nil {
		return made, err
	}
	for _, s := range known {
		if s.State.Over() {
			due = append(due, s.ID)
		} else {
			made.sessions = append(made.sessions, s)
		}
	}
	for some := range slices.Chunk(due, concludedAtOnce) {
		err := in.Ledger.Write(func() ([]journal.Record, error) { return in.concludeSome(ctx, some, &made) })
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

// sessionsByID returns those of the sessions that the store has, without their prompt
// counts.
func (in *Intake) sessionsByID(ctx context.Context, ids []string) ([]memory.Session, error) {
	var known []memory.Session
	for some := range slices.Chunk(ids, sessionsAtOnce) {
		found, err := in.Store.SessionsByID(ctx, some)
		if err != nil {
			return nil, err
		}
		known = append(known, found...)
	}
	return known, nil
}

func (in *Intake) concludeSome(ctx context.Context, ids []string, made *concluded) ([]journal.Record, error) {
	records, err := in.Store.SessionRecords(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		made.sessions = append(made.sessions, record.Session)
		made.failed[record.Session.ID] = slices.ContainsFunc(record.Seen, func(seen memory.Seen) bool {
			return seen.Memory.Kind == memory.KindFailure
		})
	}
	batch := ingest.Conclude(records, in.Counter)
	made.all = append(made.all, batch.Memories...)
	made.fresh = append(made.fresh, unseen(batch.Memories, records)...)
	if len(batch.Memories) == 0 && len(batch.Summaries) == 0 {
		return nil, nil
	}
	return []journal.Record{{Concluded: &journal.Concluded{Sessions: ids}}}, in.Store.Ingest(ctx, batch)
}

// unseen are the memories that none of the sessions has shown.
func unseen(all []memory.Memory, records []memory.SessionRecord) []memory.Memory {
	seen := map[string]bool{}
	for _, record := range records {
		for _, one := range record.Seen {
			seen[one.Memory.ID] = true
		}
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
