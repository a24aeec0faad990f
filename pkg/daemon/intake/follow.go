package intake

import (
	"maps"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// followTime is how long after its last event a session is still known to be open
// without asking the store, unless maintenance closes a session sooner.
const followTime = 10 * time.Minute

// sessionsToConclude are the sessions of a batch that something may be derived of: not
// those that are known to be open and in which nothing was mended. Most batches of a
// running session have none. Due are those that have ended or in which something may
// have been mended.
func (in *Intake) sessionsToConclude(events []memory.Event, sessions []memory.Session) (ids []string, due map[string]bool) {
	failed, succeeded := sessionsWith(events, memory.EventCommandFailed), sessionsWith(events, memory.EventCommandSucceeded)
	due = sessionsWith(events, memory.EventSessionEnded)
	fresh := map[string]bool{} // begun by these events, so all of it is known
	for _, e := range events {
		fresh[e.Session] = fresh[e.Session] || e.Kind == memory.EventSessionStarted && e.Source == sourceStartup
	}
	now := in.Now()
	for _, s := range sessions {
		known, isKnown := in.open[s.ID]
		isKnown = isKnown && now.Sub(known.at) < min(followTime, in.CloseAfter)
		known.failed = failed[s.ID] || known.failed || !isKnown && !fresh[s.ID]
		known.at = now
		due[s.ID] = due[s.ID] || known.failed && succeeded[s.ID]
		if !isKnown || !s.StateAt.IsZero() || due[s.ID] {
			ids = append(ids, s.ID)
		}
		in.follow(s.ID, known)
	}
	return ids, due
}

// maxFollowed bounds the sessions that are followed.
const maxFollowed = 256

func (in *Intake) follow(session string, known followed) {
	if in.open == nil {
		in.open = map[string]followed{}
	}
	if len(in.open) >= maxFollowed {
		maps.DeleteFunc(in.open, func(_ string, old followed) bool { return known.at.Sub(old.at) >= followTime })
	}
	if _, isKnown := in.open[session]; isKnown || len(in.open) < maxFollowed {
		in.open[session] = known
	}
}

// concludedSessions notes the findings of a look at sessions.
func (in *Intake) concludedSessions(made memory.Conclusion) {
	for _, record := range made.Records {
		if known, isKnown := in.open[record.Session.ID]; isKnown {
			known.failed = slices.ContainsFunc(record.SessionEvents, func(e memory.SessionEvent) bool {
				return e.Kind == memory.EventCommandFailed
			})
			in.open[record.Session.ID] = known
		}
	}
	for _, s := range made.Sessions {
		if s.State.Over() {
			delete(in.open, s.ID)
		}
	}
}

// forget has the next look at any session ask the store: others than captured events
// may have changed it.
func (in *Intake) forget() { in.open = nil }
