package intake

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The client's words for how a new session began: at a start of the client, or by clearing another
// session.
const (
	sourceStartup = "startup"
	sourceClear   = "clear"
)

const (
	// maxLastWords limits, in bytes, how much is kept of the end of the words before a prompt.
	maxLastWords = 1200
	// maxTalks limits the number of sessions whose last words are held.
	maxTalks = 512
)

// talks holds the assistant's last words of each session.
type talks struct {
	once  sync.Once
	words *lru.Cache[string, string]
}

// answering adds to each prompt the words that it answers: those of the turn before it in its
// session. Events come in the order in which they happened. Call undo before the same events are
// passed again: it restores the words held before them.
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
			t.words.Add(session, words) // storing no words has the same effect as not knowing the session
		}
	}
}
