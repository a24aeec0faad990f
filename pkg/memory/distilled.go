package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// TagModel marks texts that a model wrote when it distilled a session.
const TagModel = "model-written"

// IsModelWritten reports whether a memory is a fact that a model wrote when it distilled
// sessions. Its detail lists the passages that support it, one on each line.
func (m Memory) IsModelWritten() bool { return slices.Contains(m.Tags, TagModel) }

// TagUsersWords marks a fact that is supported by words that the user typed.
const TagUsersWords = "users-words"

// RestsOnUser reports whether a fact is supported by words that the user typed.
func (m Memory) RestsOnUser() bool { return slices.Contains(m.Tags, TagUsersWords) }

// Limits for titles and areas. A title in a list of all facts costs about 12 tokens.
const (
	MaxTitle = 60 // characters
	MaxArea  = 30 // characters
)

// IsFact reports whether a memory is a fact: a titled sentence that somebody other than the user wrote.
func (m Memory) IsFact() bool { return m.Title != "" && m.Source != SourceUser }

// MaxCues is the maximum number of cues of a fact, and maxCue the maximum length of each in characters.
const (
	MaxCues = 5
	maxCue  = 80
)

// FactTitle returns the title of a fact. A missing or overlong title is derived from the
// text: a truncated one could mean the opposite.
func FactTitle(title, text string) string {
	if title = strings.TrimRight(OneLine(title), "."); title != "" && utf8.RuneCountInString(title) <= MaxTitle {
		return title
	}
	return TitleOf(text)
}

// FactCues returns the valid cues of a fact, which may be none.
func FactCues(all []string) []string {
	var kept []string
	for _, cue := range all {
		cue = OneLine(cue)
		if n := utf8.RuneCountInString(cue); n == 0 || n > maxCue || slices.Contains(kept, cue) || len(kept) == MaxCues {
			continue
		}
		kept = append(kept, cue)
	}
	return kept
}

// TitleOf derives a title from the first clause of a fact.
func TitleOf(text string) string {
	text = strings.TrimRight(OneLine(text), ".")
	for i, r := range text {
		ends := strings.ContainsRune(";,(", r) || (r == '.' || r == ':') && strings.HasPrefix(text[i+1:], " ")
		if ends && i >= leastClause && utf8.RuneCountInString(text[:i]) <= MaxTitle {
			return strings.TrimSpace(text[:i])
		}
	}
	if utf8.RuneCountInString(text) <= MaxTitle {
		return text
	}
	return CutWords(text, MaxTitle-1) // leaves room for the ellipsis
}

// AreaOf normalises the name of an area: lower case, and no characters that could turn it
// into more than a heading. A name longer than MaxArea becomes empty.
func AreaOf(name string) string {
	name = OneLine(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_./+#", r) {
			return unicode.ToLower(r)
		}
		return ' '
	}, name))
	if utf8.RuneCountInString(name) > MaxArea {
		return ""
	}
	return name
}

// leastClause is the minimum length of a clause that can stand by itself, in bytes.
const leastClause = 25

// FactImportance converts a model's weight of 1 to 3 to an importance; 0, as in older answers, counts as 2.
func FactImportance(weight int) float64 {
	if weight == 0 {
		weight = 2
	}
	return 0.25 + 0.2*float64(min(max(weight, 1), 3))
}

// Distilled is a model's answer about one part of a session.
type Distilled struct {
	Part   string `json:"part" holds:"id"` // key of the part (see package distill)
	Model  string `json:"model" holds:"word"`
	Digest Digest `json:"digest"`
	// Facts become memories. Kept is their number where the facts are left out (see DistilledText).
	Facts []DistilledFact `json:"facts,omitempty"`
	Kept  int             `json:"kept,omitempty"`
}

// DistilledFact is one fact that a model wrote, with the quotes that support it.
type DistilledFact struct {
	Text string `json:"text"`
	// Title and Area are as in Memory. An empty title is derived from the text.
	Title string `json:"title,omitempty"`
	Area  string `json:"area,omitempty" holds:"label"`
	// Kind is the kind of the memory and Called the kind that the model gave: a fact that
	// only the assistant's words support is stored as a discovery.
	Kind   Kind      `json:"kind"`
	Called Kind      `json:"called"`
	Quotes []string  `json:"quotes"`          // verbatim
	From   []string  `json:"from" holds:"id"` // the memories that contain the quotes
	At     time.Time `json:"at"`              // the time of the quotes
	// Cues are the situations that call for the fact; see Memory.
	Cues   []string `json:"cues,omitempty"`
	ByUser bool     `json:"by_user,omitempty"` // supported by words that the user typed
	// OwnWords is set if these words are the user's own, neither pasted nor quoted. Only such words take back what
	// the user said before.
	OwnWords   bool `json:"own_words,omitempty"`
	Weight     int  `json:"weight,omitempty"` // 1 to 3, by the model: the cost of missing it; 0 in older answers
	Everywhere bool `json:"everywhere,omitempty"`
	// About is an existing memory, and Relation the fact's relation to it; empty for none.
	About    string   `json:"about,omitempty" holds:"id"`
	Relation Relation `json:"relation,omitempty"`
	// Ends lists other existing facts that this one completes or makes obsolete.
	Ends []string `json:"ends,omitempty" holds:"id"`
}

// Replaces returns the existing memories that the fact replaces.
func (f DistilledFact) Replaces() []string {
	if f.Relation == RelationCorrects || f.Relation == RelationSupersedes {
		return append([]string{f.About}, f.Ends...)
	}
	return f.Ends
}

type Relation string

const (
	RelationConfirms   Relation = "confirms"
	RelationCorrects   Relation = "corrects"
	RelationSupersedes Relation = "supersedes"
	// RelationRepeats: the user had to say the existing memory again.
	RelationRepeats Relation = "repeats"
)

// Restates reports whether the fact says no more than an existing memory; it then adds no memory.
func (f DistilledFact) Restates() bool {
	return f.Relation == RelationConfirms || f.Relation == RelationRepeats
}

// NewDistilledID returns the id of the event with the model's answer about a part. It is
// deterministic, so that an answer is stored once.
func NewDistilledID(session, part string) string { return "distilled-" + digest(session, part) }

// DistilledText returns the text of the session event that stores a model's answer without
// its facts, which are stored as memories.
func DistilledText(d Distilled) string {
	d.Kept, d.Facts = len(d.Facts), nil
	text, _ := json.Marshal(d) // cannot fail: its fields have no type that JSON lacks
	return string(text)
}

func DistilledOf(text string) (d Distilled, err error) {
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("read a distillation: %w", err)
	}
	return d, nil
}

type Derivation struct {
	Memory string `json:"memory" holds:"id"`
	From   string `json:"from" holds:"id"`
}

func (d *Distilled) validate(event string) error {
	if d == nil || d.Part == "" {
		return fmt.Errorf("event %s holds an empty distillation: %w", event, ErrInvalid)
	}
	for _, f := range d.Facts {
		switch {
		case Normalise(f.Text) == "" || len(f.Text) > MaxContent:
			return fmt.Errorf("event %s: the text of a fact is empty or longer than %d bytes: %w", event, MaxContent, ErrInvalid)
		case !f.Kind.known() || !f.Called.known():
			return fmt.Errorf("event %s: a fact of the unknown kind %q (%q): %w", event, f.Kind, f.Called, ErrInvalid)
		case f.At.IsZero() || len(f.Quotes) == 0:
			return fmt.Errorf("event %s: a fact without a date or without a supporting quote: %w", event, ErrInvalid)
		}
	}
	return nil
}

// Distillation is an entry in the queue of sessions that a model is to distil. A session has one entry.
type Distillation struct {
	Session string            `json:"session" column:"id,of session"`
	State   DistillationState `json:"state"`
	Trigger string            `json:"trigger" holds:"word"` // origin of the last request: session_end, compaction, catch_up, manual
	Tries   int               `json:"tries"`                // failed attempts since the last request
	NextTry time.Time         `json:"next_try"`
	// Reason explains why the entry waits again, is dead, or was done without a call. Notes list
	// the rejected parts of answers, with reasons.
	Reason   string    `json:"reason,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	QueuedAt time.Time `json:"queued_at"`
}

// DistillationState is the state of a session in the queue.
type DistillationState string

const (
	DistillationWaiting DistillationState = "waiting"
	DistillationRunning DistillationState = "running" // running, or its daemon was killed
	DistillationDone    DistillationState = "done"
	DistillationDead    DistillationState = "dead" // given up after too many failures; only a person's request revives it
)

// DistillationQuery selects entries of the queue, the earliest next try first.
type DistillationQuery struct {
	States   []DistillationState
	Sessions []string // nil: all sessions
	Limit    int
}

// Spend is the cost of one call of a model.
type Spend struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Session string    `json:"session" holds:"id"`
	Job     string    `json:"job" holds:"word"`    // part: a question about a part of a session
	Runner  string    `json:"runner" holds:"word"` // the program that called the model
	Model   string    `json:"model" holds:"word"`
	Input   int       `json:"input"` // tokens, including cached ones
	Output  int       `json:"output"`
	USD     float64   `json:"usd"` // cost as reported by the runner; 0 if it reports none
	// Estimated: the runner reported no tokens, because it was killed or is still running.
	// Input is then our own count, and Output the allowed maximum.
	Estimated bool   `json:"estimated,omitempty"`
	Error     string `json:"error,omitempty"` // the reason for a missing answer
}

type SpendQuery struct {
	Since   time.Time
	Session string // empty: all sessions
}

// SpendTotal sums up the costs of one UTC day.
type SpendTotal struct {
	Day       string  `json:"day"` // 2006-01-02
	Calls     int     `json:"calls"`
	Failed    int     `json:"failed"`    // calls without an answer
	Estimated int     `json:"estimated"` // calls whose tokens the runner did not report
	Input     int     `json:"input"`
	Output    int     `json:"output"`
	USD       float64 `json:"usd"`
}

// Tokens returns the number of tokens that limits apply to.
func (t SpendTotal) Tokens() int { return t.Input + t.Output }
