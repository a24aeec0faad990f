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
func (s *Sessions) usesBy(ctx context.Context, events []memory.Event) (uses []memory.Use) {
	for _, e := range events {
		switch e.Kind {
		case memory.EventFileChanged, memory.EventCommandSucceeded, memory.EventCommandFailed:
			shown, held := s.shown.Peek(Conversation{Session: e.Session})
			if !held { // this daemon has shown it nothing
				continue
			}
			used, err := shown.use(ctx, s.store, e)
			if err != nil {
				s.log.Debug("a session's uses could not be read", "session", e.Session, "error", err)
			}
			for _, id := range used {
				uses = append(uses, memory.Use{Memory: id, Session: e.Session, At: e.At})
			}
		default:
		}
	}
	return uses
}

// use returns the memories that an event uses, and forgets what they are about: only the first use counts.
func (s *Shown) use(ctx context.Context, store Store, e memory.Event) (used []string, err error) {
	s.using.Lock()
	defer s.using.Unlock()
	var unknown memory.WithIDs
	for _, id := range s.IDs() {
		if _, isKnown := s.about[id]; !isKnown {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		rows, err := store.Rows(ctx, unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown { // including ids without a row, such as that of a session's summary
			s.about[id] = memory.Memory{}
		}
		for _, row := range rows {
			s.about[row.Memory.ID] = row.Memory
		}
	}
	for id, about := range s.about {
		if isUsedBy(about, e) {
			used, s.about[id] = append(used, id), memory.Memory{}
		}
	}
	slices.Sort(used)
	return used, nil
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
