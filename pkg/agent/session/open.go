package session

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// follow notes which sessions are open. An event after the end of a session, such as the
// last one of a subagent, does not open it again; a prompt does.
func (s *Sessions) follow(events []memory.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		switch _, known := s.open.Peek(e.Session); {
		case e.Kind == memory.EventSessionEnded:
			s.open.Add(e.Session, false)
		case !known || e.Kind == memory.EventSessionStarted || e.Kind == memory.EventPrompt:
			s.open.Add(e.Session, true)
		}
	}
}

// AnyOpen tells whether a session that this agent saw something of has not ended. One
// whose client died never ends.
func (s *Sessions) AnyOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.open.Keys() {
		if isOpen, _ := s.open.Peek(session); isOpen {
			return true
		}
	}
	return false
}
