package session

import (
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// follow records which sessions are open. An event after a session's end, such as the last event of a subagent, does
// not open it again; a prompt does.
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

// AnyOpen reports whether a session seen by this daemon has not ended. A session whose client died counts as open.
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

// noteKept records the memories kept from sessions that this daemon has seen from their start. A daemon that started
// later cannot know whether the user has seen them listed.
func (s *Sessions) noteKept(c intake.Committed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range c.Events {
		if e.Kind == memory.EventSessionStarted && (e.Source == "startup" || e.Source == "clear") {
			s.kept.ContainsOrAdd(e.Session, &kept{})
		}
	}
	if len(c.Events) == 0 { // an import or a change by hand
		return
	}
	for _, m := range c.Memories {
		k, isWatched := s.kept.Get(m.Session)
		isKept := m.Kind.UserAuthored() || m.IsFact() || m.Kind == memory.KindFix // other memories record activity
		if isWatched && m.Recallable() && isKept && !slices.Contains(k.ids, m.ID) {
			k.ids = append(k.ids, m.ID)
		}
	}
}

// Kept returns the ids of the memories kept from a session, oldest first, and whether MarkReported was called. The
// ids are nil if this daemon has not seen the session's start.
func (s *Sessions) Kept(session string) (ids []string, isReported bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, isWatched := s.kept.Peek(session); isWatched {
		return slices.Clone(k.ids), k.isReported
	}
	return nil, false
}

// MarkReported records that the user has seen which memories were kept from a session.
func (s *Sessions) MarkReported(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, isWatched := s.kept.Peek(session); isWatched {
		k.isReported = true
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

// Committed updates, after a commit, which memories were kept from sessions, which sessions are open, and which of the
// shown memories they used.
func (s *Sessions) Committed(ctx context.Context, c intake.Committed) {
	s.noteKept(c)
	s.follow(c.Events)
	if uses := s.usesBy(ctx, c.Events); len(uses) > 0 {
		s.mu.Lock()
		s.uses = append(s.uses, uses...)
		s.mu.Unlock()
	}
}
