package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// askedSessions are those whose model was asked to keep what it learned.
type askedSessions struct {
	mu  sync.Mutex
	ids map[string]bool
}

// claim answers true once for each session.
func (s *askedSessions) claim(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids[session] {
		return false
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[session] = true
	return true
}

// giveBack undoes a claim that came to nothing.
func (s *askedSessions) giveBack(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, session)
}

// isAsked tells whether this agent has asked in a session.
func (s *askedSessions) isAsked(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[session]
}

// maxWatched bounds the sessions whose work is counted as it comes in.
const maxWatched = 256

// watchedWork counts the work of the sessions that this agent saw from their
// start, so that most turns end without a query. It only ever says "not yet":
// the store decides.
type watchedWork struct {
	mu     sync.Mutex
	counts map[string]int
}

func (w *watchedWork) note(events []memory.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		n, watched := w.counts[e.Session]
		switch e.Kind {
		case memory.EventSessionStarted:
			if watched || e.Source != "startup" && e.Source != "clear" {
				continue
			}
			if w.counts == nil || len(w.counts) >= maxWatched {
				w.counts = map[string]int{}
			}
			w.counts[e.Session] = 0
		case memory.EventFileChanged, memory.EventCommandSucceeded, memory.EventCommandFailed:
			if watched {
				w.counts[e.Session] = n + 1
			}
		default:
		}
	}
}

// isBelow tells whether a session is known to have done less than that.
func (w *watchedWork) isBelow(session string, least int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, watched := w.counts[session]
	return watched && n < least
}

// ShouldAsk says whether the model is to be asked now: after real work, and once
// a session. That it was asked is stored, for the agent after this one.
func (a *Agent) ShouldAsk(ctx context.Context, p agentapi.ShouldAskParams) (bool, error) {
	if a.asked.isAsked(p.Session) || a.work.isBelow(p.Session, a.Config.Hooks.Stop.AskAfter) {
		return false, nil
	}
	activity, err := a.Store.Activity(ctx, p.Session)
	if errors.Is(err, memory.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if workOf(activity) < a.Config.Hooks.Stop.AskAfter || wasAsked(activity) || !a.asked.claim(p.Session) {
		return false, nil
	}
	now := a.Now().UTC()
	err = a.Store.Ingest(ctx, memory.Batch{Moments: []memory.Moment{
		{ID: memory.NewEventID(now), Session: p.Session, Kind: memory.EventAsked, At: now},
	}})
	if err != nil {
		a.asked.giveBack(p.Session)
		return false, err
	}
	return true, nil
}

// workOf counts what a session did, and not what it looked at.
func workOf(a memory.Activity) int {
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

func wasAsked(a memory.Activity) bool {
	for _, m := range a.Moments {
		if m.Kind == memory.EventAsked {
			return true
		}
	}
	return false
}
