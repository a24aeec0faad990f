package session

import (
	"slices"
	"strings"
)

// Plan notes the task of a subagent that is about to start. The oldest are dropped
// beyond maxPlanned: their start may never come.
func (s *Sessions) Plan(session, kind, task string) {
	if strings.TrimSpace(task) == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.planned) >= maxPlanned {
		s.planned = slices.Delete(s.planned, 0, 1)
	}
	s.planned = append(s.planned, plannedTask{session, kind, task})
}

// TakeTask returns the oldest task of a session for a type of subagent, once, or
// "". A plan without a type fits any.
func (s *Sessions) TakeTask(session, kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.planned {
		if p.session == session && (p.kind == kind || p.kind == "") {
			s.planned = slices.Delete(s.planned, i, i+1)
			return p.task
		}
	}
	return ""
}
