package session

import (
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Committed records, after a commit, which sessions are open. An event after a session's end, such as the last event of a
// subagent, does not open it again; a prompt does. It also records which memories were kept from a session that this
// daemon has seen from its start. Of other sessions it does not know whether the user has seen the kept memories listed.
func (s *Sessions) Committed(_ context.Context, c intake.Committed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range c.Events {
		isStart := e.Kind == memory.EventSessionStarted
		w, isKnown := s.watched.Get(e.Session)
		if !isKnown {
			w = &watched{isOpen: true}
			s.watched.Add(e.Session, w)
		}
		w.isOpen = (w.isOpen || isStart || e.Kind == memory.EventPrompt) && e.Kind != memory.EventSessionEnded
		w.isWhole = w.isWhole || isStart && (e.Source == "startup" || e.Source == "clear")
	}
	if len(c.Events) == 0 { // an import or a change by hand
		return
	}
	for _, m := range c.Memories {
		w, isKnown := s.watched.Get(m.Session)
		isKept := m.Kind.IsUserAuthored() || m.IsFact() || m.Kind == memory.KindFix // other memories record activity
		if isKnown && w.isWhole && m.IsRecallable() && isKept && !slices.Contains(w.kept, m.ID) {
			w.kept = append(w.kept, m.ID)
		}
	}
}

// AnyOpen reports whether a session seen by this daemon has not ended. A session whose client died counts as open.
func (s *Sessions) AnyOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.watched.Values(), func(w *watched) bool { return w.isOpen })
}

// Kept returns the ids of the memories kept from a session, oldest first, and whether MarkReported was called. The
// ids are nil if this daemon has not seen the session's start.
func (s *Sessions) Kept(session string) (ids []string, isReported bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, isKnown := s.watched.Peek(session); isKnown {
		return slices.Clone(w.kept), w.isReported
	}
	return nil, false
}

// MarkReported records that the user has seen which memories were kept from a session.
func (s *Sessions) MarkReported(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, isKnown := s.watched.Peek(session); isKnown {
		w.isReported = true
	}
}

// ExpectSubagent records the task of a subagent that is about to start. Beyond maxPlanned it drops the oldest task, whose
// subagent may never start.
func (s *Sessions) ExpectSubagent(session, kind, task string) {
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

// TakeTask removes and returns the oldest task of a session for a type of subagent, or "". A task planned without a
// type fits every type.
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
