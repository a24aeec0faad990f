package session

import (
	"context"
	"errors"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// countWork counts the work of the sessions that this agent has seen from their start,
// so that most turns end without a query. The counts can only rule the question out;
// the store decides.
func (s *Sessions) countWork(events []memory.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		n, watched := s.work.Get(e.Session)
		switch e.Kind {
		case memory.EventSessionStarted:
			if !watched && (e.Source == "startup" || e.Source == "clear") {
				s.work.Add(e.Session, 0)
			}
		case memory.EventFileChanged, memory.EventCommandSucceeded, memory.EventCommandFailed:
			if watched {
				s.work.Add(e.Session, n+1)
			}
		default:
		}
	}
}

// hasWorkedLess tells whether a session is known to have done less than least.
func (s *Sessions) hasWorkedLess(session string, least int) bool {
	n, watched := s.work.Peek(session)
	return watched && n < least
}

// claimQuestion answers true once for each session.
func (s *Sessions) claimQuestion(session string) bool {
	asked, _ := s.asked.ContainsOrAdd(session, struct{}{})
	return !asked
}

// ShouldAsk says whether the model is to be asked now: after real work, and once a
// session. The question is stored, so that a restarted agent does not repeat it.
func (s *Sessions) ShouldAsk(ctx context.Context, session string) (bool, error) {
	if s.asked.Contains(session) || s.hasWorkedLess(session, s.askAfter) {
		return false, nil
	}
	record, err := memory.RecordOf(ctx, s.store, session)
	if errors.Is(err, memory.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if workOf(record) < s.askAfter || wasAsked(record) || !s.claimQuestion(session) {
		return false, nil
	}
	now := s.now().UTC()
	err = s.store.Ingest(ctx, memory.Batch{SessionEvents: []memory.SessionEvent{
		{ID: memory.NewEventID(now), Session: session, Kind: memory.EventAsked, At: now},
	}})
	if err != nil {
		s.asked.Remove(session)
		return false, err
	}
	return true, nil
}

// workOf counts a session's actions, other than looking around.
func workOf(a memory.SessionRecord) int {
	n := 0
	for _, seen := range a.Seen {
		switch seen.Memory.Kind {
		case memory.KindEdit, memory.KindCommand, memory.KindFailure:
			n++
		default:
		}
	}
	return n
}

func wasAsked(a memory.SessionRecord) bool {
	for _, m := range a.SessionEvents {
		if m.Kind == memory.EventAsked {
			return true
		}
	}
	return false
}
