package intake

import (
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// failures records in which sessions a command has failed: only in these can a success be a fix, for which the session must be read.
type failures struct {
	once sync.Once
	of   *lru.Cache[string, bool] // by session; a session without an entry may have had a failed command
}

// maxFollowed is the maximum number of sessions in failures.
const maxFollowed = 256

// due returns the sessions of the events that have ended, or in which a command may have succeeded after a failure.
func (f *failures) due(events []memory.Event) map[string]bool {
	f.once.Do(func() { f.of, _ = lru.New[string, bool](maxFollowed) }) // fails only for a size below 1
	for _, e := range events {
		switch {
		case e.Kind == memory.EventSessionStarted && e.Source == sourceStartup:
			f.of.Add(e.Session, false)
		case e.Kind == memory.EventCommandFailed:
			f.of.Add(e.Session, true)
		}
	}
	due := sessionsWith(events, memory.EventSessionEnded)
	for session := range sessionsWith(events, memory.EventCommandSucceeded) {
		failed, isKnown := f.of.Get(session)
		due[session] = due[session] || failed || !isKnown
	}
	return due
}

// learn records whether a command failed in each of the sessions that were read.
func (f *failures) learn(records []memory.SessionRecord) {
	for _, record := range records {
		f.of.Add(record.Session.ID, slices.ContainsFunc(record.SessionEvents, func(e memory.SessionEvent) bool {
			return e.Kind == memory.EventCommandFailed
		}))
	}
}

// forget drops everything recorded, because a change other than a captured event may have made it wrong.
func (f *failures) forget() {
	if f.of != nil {
		f.of.Purge()
	}
}

func sessionsWith(events []memory.Event, kind memory.EventKind) map[string]bool {
	found := map[string]bool{}
	for _, e := range events {
		if e.Kind == kind {
			found[e.Session] = true
		}
	}
	return found
}

// The client's names for how a new session began: when the client was started, or when another session was cleared.
const (
	sourceStartup = "startup"
	sourceClear   = "clear"
)

const (
	// maxLastWords is how many bytes of the assistant's last words are cached; of longer words, the last bytes.
	maxLastWords = 1200
	// maxLastWordsCached is the maximum number of sessions whose last words are cached.
	maxLastWordsCached = 512
)

// lastWords caches the assistant's last words of each session.
type lastWords struct {
	once  sync.Once
	words *lru.Cache[string, string]
}

// set sets LastWords of each prompt to the last words of the turn before. The events must be in order. Call undo before passing them again.
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
