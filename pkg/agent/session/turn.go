package session

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// longestTurn is the time after which a turn counts as ended: the client of one that
// lasts longer has probably died.
const longestTurn = time.Hour

// followTurns notes which turns are running. One whose prompt asks for something to be
// remembered is not noted: the user wants that known at once.
func (s *Sessions) followTurns(events []memory.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		switch e.Kind {
		case memory.EventPrompt:
			s.turns.Remove(e.Session)
			if len(knowledge.Directives(e.Prompt, knowledge.Context{LastWords: e.LastWords})) == 0 {
				s.turns.Add(e.Session, e.At)
			}
		case memory.EventTurnEnded, memory.EventTurnFailed, memory.EventSessionEnded, memory.EventSessionStarted:
			s.turns.Remove(e.Session)
		default:
		}
	}
}

// Unsettled says whether a memory was stated in a turn of another session that is still
// running. The user may interrupt that turn and say it differently.
func (s *Sessions) Unsettled(m memory.Memory, asking string) bool {
	if m.Source != memory.SourceUser || m.Session == asking {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	begun, runs := s.turns.Peek(m.Session)
	return runs && !m.CreatedAt.Before(begun) && s.now().Sub(begun) < longestTurn
}
