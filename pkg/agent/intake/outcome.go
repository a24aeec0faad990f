package intake

import (
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The sources of a new session, by the client's word: it began by itself, or where
// another was cleared.
const (
	sourceStartup = "startup"
	sourceClear   = "clear"
)

// outcomes are the summaries that resting sessions would have if they ended now. With
// them the next session starts without waiting until the end of this one is in the store.
type outcomes struct {
	mu      sync.Mutex
	known   map[string]memory.Session // as it would be, by session
	resting map[string]bool           // sessions whose outcome is not known yet
}

// mostOutcomes bounds the sessions whose outcome is kept.
const mostOutcomes = 64

func (o *outcomes) of(session string) (memory.Session, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s, known := o.known[session]
	return s, known
}

// follow notes stored events: a session's outcome changes with each.
func (o *outcomes) follow(events []memory.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= mostOutcomes {
		o.known, o.resting = map[string]memory.Session{}, map[string]bool{}
	}
	for _, e := range events {
		delete(o.known, e.Session)
		delete(o.resting, e.Session)
		switch e.Kind {
		case memory.EventSessionStarted:
			if e.Source == sourceStartup || e.Source == sourceClear { // nothing has happened in it
				o.known[e.Session] = memory.Session{ID: e.Session}
			}
		case memory.EventTurnEnded, memory.EventTurnFailed, memory.EventNotified, memory.EventAsked:
			o.resting[e.Session] = true
		default:
		}
	}
}

// forget drops all outcomes: the store was changed otherwise than by events.
func (o *outcomes) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.known)
	clear(o.resting)
}

// unknown are the sessions that rest and whose outcome is not known.
func (o *outcomes) unknown() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]string, 0, len(o.resting))
	for session := range o.resting {
		all = append(all, session)
	}
	return all
}

func (o *outcomes) know(s memory.Session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.resting, s.ID)
	o.known[s.ID] = s
}
