package session

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
)

// Committed updates the sessions after their events are stored: their work, the memories kept of them,
// whether they are open or in a turn, and which of the memories shown to them they used.
func (s *Sessions) Committed(ctx context.Context, c intake.Committed) {
	s.countWork(c.Events)
	s.noteKept(c)
	s.follow(c.Events)
	s.followTurns(c.Events)
	if uses := s.usesBy(ctx, c.Events); len(uses) > 0 {
		s.mu.Lock()
		s.uses = append(s.uses, uses...)
		s.mu.Unlock()
	}
}
