package session

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Only use strengthens a memory; showing it does not. A session uses a memory when it changes a file or runs the
// command that the memory is about, or asks for the memory.

// usesBy returns the uses shown by events, of memories that their sessions were shown before.
func (s *Sessions) usesBy(ctx context.Context, events []memory.Event) []memory.Use {
	var uses []memory.Use
	for _, e := range events {
		switch e.Kind {
		case memory.EventFileChanged, memory.EventCommandSucceeded, memory.EventCommandFailed:
			for _, id := range s.touchedBy(ctx, e) {
				uses = append(uses, memory.Use{Memory: id, Session: e.Session, At: e.At})
			}
		default:
		}
	}
	return uses
}

// touchedBy returns the memories whose first use by the session an event is.
func (s *Sessions) touchedBy(ctx context.Context, e memory.Event) []string {
	shown, held := s.shown.Peek(Conversation{Session: e.Session})
	if !held { // this daemon has shown it nothing
		return nil
	}
	if unknown := shown.unknownSubjects(); len(unknown) > 0 {
		rows, err := s.store.Rows(ctx, memory.WithIDs(unknown))
		if err != nil {
			s.log.Debug("a session's uses could not be read", "session", e.Session, "error", err)
			return nil
		}
		shown.learnSubjects(unknown, rows)
	}
	return shown.use(e)
}

func (s *Shown) unknownSubjects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id := range s.ids {
		if _, known := s.about[id]; !known {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Shown) learnSubjects(asked []string, rows []memory.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.about == nil {
		s.about = map[string]subject{}
	}
	for _, id := range asked { // including ids without a row, such as that of a session's summary
		s.about[id] = subject{}
	}
	for _, row := range rows {
		s.about[row.Memory.ID] = subject{files: row.Memory.Files, command: row.Memory.Command}
	}
}

// use returns the memories that an event touches, and forgets what they are about: only the first use counts.
func (s *Shown) use(e memory.Event) (used []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, about := range s.about {
		if about.isTouchedBy(e) {
			used, s.about[id] = append(used, id), subject{}
		}
	}
	slices.Sort(used)
	return used
}

// Recalled records that a session has asked for memories.
func (s *Sessions) Recalled(session string, ids []string, at time.Time) {
	if session == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.uses = append(s.uses, memory.Use{Memory: id, Session: session, At: at})
	}
}
