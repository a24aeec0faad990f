package intake

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
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
		if err := in.concludeSome(ctx, some, &made); err != nil {
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
		found, err := in.Store.Sessions(ctx, memory.SessionIDs(some))
		if err != nil {
			return nil, err
		}
		known = append(known, found...)
	}
	return known, nil
}

func (in *Intake) concludeSome(ctx context.Context, ids []string, made *concluded) error {
	records, err := in.Store.Records(ctx, memory.RecordsOf(ids))
	if err != nil {
		return err
	}
	for _, record := range records {
		made.sessions = append(made.sessions, record.Session)
		made.failed[record.Session.ID] = slices.ContainsFunc(record.SessionEvents, func(e memory.SessionEvent) bool {
			return e.Kind == memory.EventCommandFailed
		})
	}
	batch := ingest.Conclude(records, in.Counter)
	made.all = append(made.all, batch.Memories...)
	made.fresh = append(made.fresh, unseen(batch.Memories, records)...)
	if len(batch.Memories) == 0 && len(batch.Summaries) == 0 {
		return nil
	}
	return in.Store.Ingest(ctx, batch)
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

// Distilled stores a model's answer about a session, like a captured event: cleaned,
// journaled, and published. It returns the memories that were made or seen again.
func (in *Intake) Distilled(ctx context.Context, e memory.Event) ([]memory.Memory, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	in.writing.Lock()
	defer in.writing.Unlock()
	if err := in.NotOurs(); err != nil {
		return nil, err
	}
	e = cleanEvent(e, in.clean)
	if err := in.LearnAliases(ctx); err != nil {
		return nil, err
	}
	batch := in.batchOf([]memory.Event{e})
	in.Aliases.Adopt(&batch)
	if err := in.confirm(ctx, &batch, e); err != nil {
		return nil, err
	}
	if err := in.Store.Ingest(ctx, batch); err != nil {
		return nil, fmt.Errorf("store the distillation of session %s: %w", e.Session, err)
	}
	made, err := in.conclude(ctx, []string{e.Session}, nil)
	if err != nil {
		return nil, err
	}
	over := slices.DeleteFunc(made.sessions, func(s memory.Session) bool { return !s.State.Over() })
	in.publish(ctx, Committed{Memories: slices.Concat(batch.Memories, made.all), Sessions: over})
	return batch.Memories, nil
}

// confirm adds to a batch the sightings of existing memories that the session of an event confirms,
// according to a model. A fact then counts as said again at that time.
func (in *Intake) confirm(ctx context.Context, batch *memory.Batch, e memory.Event) error {
	all := ingest.Confirmed(e)
	if len(all) == 0 {
		return nil
	}
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.Memory
	}
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
