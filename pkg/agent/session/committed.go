package session

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
)

// Committed takes in what happened in the sessions, once it is stored: the work
// they did, and what they used of what they were shown.
func (s *Sessions) Committed(ctx context.Context, c intake.Committed) {
	s.countWork(c.Events)
	if uses := s.usesBy(ctx, c.Events); len(uses) > 0 {
		s.mu.Lock()
		s.uses = append(s.uses, uses...)
		s.mu.Unlock()
	}
}
