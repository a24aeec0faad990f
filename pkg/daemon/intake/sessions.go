package intake

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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
		case memory.EventTurnEnded, memory.EventTurnFailed, memory.EventNotified:
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

// followed is the state of an open session whose events come in.
type followed struct {
	at     time.Time // of the last look at it
	failed bool      // a command may have failed in it: a success may be its fix
}

const (
	// maxLastWords is the most bytes kept of the words before a prompt: their end.
	maxLastWords = 1200
	// maxTalks bounds the sessions whose last words are held.
	maxTalks = 512
)

// talks holds the assistant's last words of each session.
type talks struct {
	once  sync.Once
	words *lru.Cache[string, string]
}

// answering adds to each prompt the words that it answers: those of the turn before it in
// its session. Events come in the order in which they happened. If they are to come
// again, undo first restores the words noted before them.
func (t *talks) answering(events []memory.Event) (undo func()) {
	t.once.Do(func() { t.words, _ = lru.New[string, string](maxTalks) }) // an error only for a size below one
	before := map[string]string{}
	for i := range events {
		e := &events[i]
		words, known := t.words.Get(e.Session)
		if _, noted := before[e.Session]; !noted {
			before[e.Session] = words
		}
		switch e.Kind {
		case memory.EventTurnEnded:
			t.words.Add(e.Session, memory.CutFront(e.Text, maxLastWords))
		case memory.EventPrompt:
			if known && e.LastWords == "" {
				e.LastWords = words
			}
		case memory.EventSessionStarted, memory.EventSessionEnded:
			t.words.Remove(e.Session)
		default:
		}
	}
	return func() {
		for session, words := range before {
			t.words.Add(session, words) // none is as good as not known
		}
	}
}
