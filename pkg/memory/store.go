package memory

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The errors a caller can act on. Adapters wrap them with the name of the operation.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: the input can never be stored as it is.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: the store or the daemon cannot be reached now; the same call may work later.
	ErrUnavailable = errors.New("store unavailable")
	// ErrStorage: the store can be reached but cannot write or read: its disk is full or fails, or its tables
	// were deleted. It wraps ErrUnavailable.
	ErrStorage = Mark(errors.New("the store cannot read or write its files"), ErrUnavailable)
	// ErrSchema: the store has the schema of another version, so a refused write is not at fault. It wraps ErrUnavailable.
	ErrSchema = Mark(errors.New("the store has another version's schema"), ErrUnavailable)
	// ErrDamaged: the store's files are damaged; only a rebuild helps. It wraps ErrUnavailable.
	ErrDamaged = Mark(errors.New("the store's files are damaged"), ErrUnavailable)
)

// Mark returns err as an error that errors.Is also finds as kind. It has the text of err alone.
func Mark(err, kind error) error { return marked{err, kind} }

type marked struct{ err, kind error }

func (m marked) Error() string   { return m.err.Error() }
func (m marked) Unwrap() []error { return []error{m.err, m.kind} }

// ErrorText returns the text of an error for people and models. It removes the text of ErrInvalid, and the text of
// ErrNotFound if the text before has the word "no" ("there is no memory 12: not found"): the rest says the same.
func ErrorText(err error) string {
	says := ": " + ErrInvalid.Error()
	text := strings.TrimSuffix(strings.NewReplacer(says+":", ":", says+";", ";", says+"\n", "\n").Replace(err.Error()), says)
	if before, after, is := strings.Cut(text, ": "+ErrNotFound.Error()); is && strings.Contains(" "+before, " no ") {
		text = before + after
	}
	return text
}

// Batch holds the writes of one ingest, which are applied together.
type Batch struct {
	Projects      []Project      `json:"projects,omitempty"`
	Sessions      []Session      `json:"sessions,omitempty"`
	Prompts       []Prompt       `json:"prompts,omitempty"`
	Memories      []Memory       `json:"memories,omitempty"` // each id once
	Sightings     []Sighting     `json:"sightings,omitempty"`
	SessionEvents []SessionEvent `json:"session_events,omitempty"`
	Days          []ActiveDay    `json:"days,omitempty"`
	Derived       []Derivation   `json:"derived,omitempty"`
	// Asked lists the memories that the user said, or that a person or a model asked to keep: they hold again, whatever was decided
	// about them. UserWritten lists the memories that a person asked to keep.
	Asked       []string `json:"asked,omitempty"`
	UserWritten []string `json:"user_written,omitempty"`
	// Summaries belong to sessions that have ended.
	Summaries []SessionSummary `json:"summaries,omitempty"`
	// Injections and Uses are written late, each once, and may be lost without harm.
	Injections []Injection `json:"injections,omitempty"`
	Uses       []Use       `json:"uses,omitempty"`
	// Queued are sessions to distil. A session whose entry is running or waiting is not changed, with one exception: an
	// entry without a failure may become due earlier.
	Queued []Distillation `json:"queued,omitempty"`
	Spent  []Spend        `json:"spent,omitempty"` // cost of model calls; each replaces the stored cost with its id
	// Known is the latest time of a statement or decision that another machine has sent. The store dates its own decisions later.
	Known time.Time `json:"-"`
	// Received is the time at which captured events were read from the spool, or zero. If the store has a later statement, some
	// clock was ahead, and the new statements are dated after that one.
	Received time.Time `json:"-"`
}

// Conclusion is the result of book.Book.Conclude.
type Conclusion struct {
	Sessions []Session       // the requested sessions that exist
	Records  []SessionRecord // the records of the sessions that are due or have ended
	Derived  Batch
	// Superseded are memories that had replaced a text, and are superseded now because the user said this text again.
	Superseded []Memory
}

type SessionSummary struct {
	Session string  `json:"session" column:"id"`
	Summary Summary `json:"summary"`
}

// Hit is a found memory with its relevance. Relevances are comparable within one query only; for a prompt they are comparable
// with the thresholds of recall.Weights, too.
type Hit struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"`
	// Share is the part of the question's topic that the memory's own words cover, 0 to 1. Rare words count for more.
	Share float64 `json:"share"`
	Fits  bool    `json:"-"` // whether a prompt, a file or a command gets it
	Why   string  `json:"-"` // the reason why the memory fits a prompt or not
}

// SessionRecord holds what is stored about one session, as far as its query asks for it.
type SessionRecord struct {
	Session       Session
	Prompts       []Prompt
	Seen          []Seen
	SessionEvents []SessionEvent // events in the order of time
	Injected      []Injection
}

// HasChanged reports whether the session changed a file. If the session's events were deleted, only the names of its
// files are left.
func (r SessionRecord) HasChanged(file string) bool {
	isKept := false
	for _, e := range r.SessionEvents {
		for _, name := range e.Files {
			if e.Kind == EventFileChanged && strings.HasSuffix("/"+filepath.ToSlash(name), "/"+strings.TrimPrefix(file, "/")) {
				return true
			}
		}
		isKept = isKept || e.Kind == EventFileChanged
	}
	return !isKept && slices.Contains(r.Session.Summary.Digest.FilesModified, path.Base(file))
}

// WithoutRewound returns the record without the turns that the user took back. It keeps the events of compactions and
// distillations, because they separate the parts of the session.
func (r SessionRecord) WithoutRewound() SessionRecord {
	isBack := map[string]bool{} // by prompt
	for _, e := range r.SessionEvents {
		if e.Kind == EventTakenBack {
			isBack[e.Detail] = true
		}
	}
	if len(isBack) == 0 {
		return r
	}
	ofTaken := func(at time.Time) bool {
		prompt := ""
		for _, p := range r.Prompts {
			if !p.At.After(at) {
				prompt = p.ID
			}
		}
		return isBack[prompt]
	}
	r.Seen = slices.DeleteFunc(slices.Clone(r.Seen), func(s Seen) bool {
		for _, p := range r.Prompts {
			if strings.HasPrefix(s.ID, p.ID+"-") { // a sentence of the prompt, whose date may be later than the prompt's
				return isBack[p.ID]
			}
		}
		return ofTaken(s.At)
	})
	r.SessionEvents = slices.DeleteFunc(slices.Clone(r.SessionEvents), func(e SessionEvent) bool {
		isPart := e.Kind == EventDistilled || e.Kind == EventCompacting || e.Kind == EventCompacted
		return !isPart && ofTaken(e.At)
	})
	r.Prompts = slices.DeleteFunc(slices.Clone(r.Prompts), func(p Prompt) bool { return isBack[p.ID] })
	return r
}

// Seen is a memory that a session stated or showed, with the time and the id of the event.
type Seen struct {
	ID     string
	Memory Memory
	At     time.Time
}

// Holding returns the counts that people see of a project.
func (s Stats) Holding() Holding {
	return Holding{Memories: s.Memories, Sessions: s.Sessions, Prompts: s.Prompts}
}

// Stats counts the rows of a store, or the first three of a project.
type Stats struct {
	Memories      int `json:"memories"`
	Sessions      int `json:"sessions"`
	Prompts       int `json:"prompts"`
	Projects      int `json:"projects"`
	Sightings     int `json:"sightings"`
	SessionEvents int `json:"session_events"` // rows, each with the events of one session in one batch
	Runs          int `json:"runs"`
}
