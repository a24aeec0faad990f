package session

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// noteKept notes the memories that were made of the user's and the model's words, of the
// sessions that this agent has seen from their start: an agent started later cannot know
// whether the user was told already.
func (s *Sessions) noteKept(c intake.Committed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range c.Events {
		if e.Kind == memory.EventSessionStarted && (e.Source == "startup" || e.Source == "clear") {
			s.kept.ContainsOrAdd(e.Session, &kept{})
		}
	}
	if len(c.Events) == 0 { // an import, or a change by hand
		return
	}
	for _, m := range c.Memories {
		k, isWatched := s.kept.Get(m.Session)
		if isWatched && m.Recallable() && m.Kind != memory.KindFailure && !slices.Contains(k.ids, m.ID) {
			k.ids = append(k.ids, m.ID)
		}
	}
}

// Kept are the ids of the memories kept of a session, the first first; nil once its user
// was told of them, and for a session whose start this agent has not seen.
func (s *Sessions) Kept(session string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, isWatched := s.kept.Peek(session); isWatched && !k.isTold {
		return slices.Clone(k.ids)
	}
	return nil
}

// ToldKept notes that the user is told of the memories kept of a session.
func (s *Sessions) ToldKept(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, isWatched := s.kept.Peek(session); isWatched {
		k.isTold, k.ids = true, nil
	}
}
