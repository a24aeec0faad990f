package session

import (
	"context"
	"errors"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// How a session starts: with an empty context, or after a compaction.
const (
	startup = "startup"
	Compact = "compact"
)

// StartsAnew reports whether a session starts with an empty context. A resumed session still has the memories in its transcript.
func StartsAnew(source string) bool { return source != "resume" }

// Shown returns the memories that a conversation was shown, from the cache or, for a session, from the store. If the store
// is unavailable it returns only the injections that are not stored yet, so a resumed session may get a memory twice.
func (s *Sessions) Shown(ctx context.Context, who Conversation) (*Shown, error) {
	if held, known := s.shown.Get(who); known {
		return held, nil
	}
	if who.Subagent != "" {
		return s.remember(who, time.Time{}, nil, true), nil
	}
	asking, cancel := HalfTime(ctx)
	defer cancel()
	since := s.lastCompaction(asking, who.Session)
	waiting := s.waiting(who.Session, since) // before the query, because Save may store them meanwhile
	injected, err := memory.Injections(asking, s.store, memory.InjectedInto{Session: who.Session, From: since.Add(1)})
	if errors.Is(err, memory.ErrUnavailable) && ctx.Err() == nil {
		return newShown(who, since, waiting), nil // the result is not cached, so that the next call asks the store again
	}
	if err != nil {
		return nil, err
	}
	waiting = append(waiting, memory.EachIf(injected, func(one memory.Injection) (string, bool) { return one.Memory, one.Subagent == "" })...)
	return s.remember(who, since, waiting, true), nil
}

// HalfTime returns a context that ends after half of ctx's remaining time, so that the other half remains for an answer.
func HalfTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if end, has := ctx.Deadline(); has {
		return context.WithTimeout(ctx, time.Until(end)/2)
	}
	return context.WithCancel(ctx)
}

// waiting returns the ids of the memories that a session was shown after since, as far as the store does not have the records yet.
func (s *Sessions) waiting(session string, since time.Time) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return memory.EachIf(s.unsaved, func(one memory.Injection) (string, bool) {
		return one.Memory, one.Session == session && one.At.After(since)
	})
}

// lastCompaction returns the time of a session's last compaction, or zero if there was none or the store fails. It is
// the later of the beginning of the last compaction whose end is recorded, and the last start after a compaction. A
// beginning alone does not count, because the compaction may have failed.
func (s *Sessions) lastCompaction(ctx context.Context, session string) time.Time {
	record, err := memory.RecordOf(ctx, s.store, session)
	if err != nil {
		return time.Time{}
	}
	var begun, last time.Time
	for _, m := range record.SessionEvents {
		switch m.Kind {
		case memory.EventCompacting:
			begun = m.At
		case memory.EventCompacted:
			last = begun
		default:
		}
	}
	if s := record.Session; s.Source == Compact && s.SourceAt.After(last) {
		last = s.SourceAt
	}
	return last
}

// remember returns the cached Shown of a conversation if isKept is set and there is one, else a new one with the ids.
func (s *Sessions) remember(who Conversation, since time.Time, ids []string, isKept bool) *Shown {
	s.mu.Lock() // without the lock another hook of the session would keep a replaced entry
	defer s.mu.Unlock()
	if held, known := s.shown.Get(who); known && isKept { // another hook of the session was faster
		return held
	}
	shown := newShown(who, since, ids)
	s.shown.Add(who, shown)
	return shown
}

// Record records that a hook has shown a conversation these memories.
func (s *Sessions) Record(who Conversation, hook string, ids []string) {
	if len(ids) == 0 || who.Session == "" {
		return
	}
	now := s.now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	if shown, held := s.shown.Get(who); held { // otherwise it is read from the store when needed
		shown.add(ids)
	}
	for _, id := range ids {
		s.unsaved = append(s.unsaved, memory.Injection{
			ID: memory.NewEventID(now), Memory: id, Session: who.Session, Subagent: who.Subagent, Hook: hook, At: now,
		})
	}
}

// Begin clears the shown memories of a conversation that is new, or whose context was compacted. A new conversation keeps what it
// was shown a moment ago, because clients may run the hooks of the start and of the first prompt at once.
func (s *Sessions) Begin(who Conversation, source string) *Shown {
	return s.remember(who, s.now(), nil, source == startup)
}

// Recalled records that a session has asked for memories and got them: only this use strengthens a memory, showing it does not.
func (s *Sessions) Recalled(session string, ids []string, at time.Time) {
	if session == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = append(s.uses, memory.Each(ids, func(id string) memory.Use { return memory.Use{Memory: id, Session: session, At: at} })...)
}
