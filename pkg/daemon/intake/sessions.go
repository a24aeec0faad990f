package intake

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The client's names for how a new session began: when the client was started, or when another session was cleared.
const (
	sourceStartup = "startup"
	sourceClear   = "clear"
)

const (
	// maxLastWords limits the assistant's last words that are cached for a prompt, in bytes. Their end is kept.
	maxLastWords = 1200
	// maxLastWordsCached is the maximum number of sessions whose last words are cached.
	maxLastWordsCached = 512
)

// lastWords caches the assistant's last words of each session.
type lastWords struct {
	once  sync.Once
	words *lru.Cache[string, string]
}

// set sets LastWords of each prompt to the words of the turn before it. events must be in the order in which
// they happened. Call undo before passing the same events again.
func (t *lastWords) set(events []memory.Event) (undo func()) {
	t.once.Do(func() { t.words, _ = lru.New[string, string](maxLastWordsCached) }) // fails only for a size below 1
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
			t.words.Add(session, words) // an empty text has the same effect as an unknown session
		}
	}
}
