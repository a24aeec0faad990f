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

// IsModelWritten tells whether a memory is a fact that a model wrote when it distilled
// sessions. The words that it rests on are its detail, one passage a line.
func (m Memory) IsModelWritten() bool { return slices.Contains(m.Tags, TagModel) }

// TagUsersWords marks a fact that rests on words that the user typed.
const TagUsersWords = "users-words"

// RestsOnUser tells whether a fact rests on words that the user typed.
func (m Memory) RestsOnUser() bool { return slices.Contains(m.Tags, TagUsersWords) }

// The bounds of a title and of an area. A title in a list of all facts costs about 12 tokens.
const (
	MaxTitle = 60 // characters
	MaxArea  = 30 // characters
)

// IsFact says whether a memory is a fact: one sentence that a model or the assistant wrote for
// later sessions, with a title, and not the user's own words.
func (m Memory) IsFact() bool { return m.Title != "" && m.Source != SourceUser }

// MaxCues is the most cues that the author of a fact may give it, and maxCue the most
// characters of each.
const (
	MaxCues = 5
	maxCue  = 80
)

// FactTitle is the title of a fact. One that is missing or too long is made of the text: cut
// short it could mean the opposite.
func FactTitle(title, text string) string {
	if title = strings.TrimRight(OneLine(title), "."); title != "" && utf8.RuneCountInString(title) <= MaxTitle {
		return title
	}
	return TitleOf(text)
}

// FactCues are those of a fact that can be kept: a fact is kept without any.
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

// TitleOf is the title of a fact whose author gave none: its first clause.
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
	return CutWords(text, MaxTitle-1) // and the mark
}

// AreaOf is the form of an area's name: in lower case, without characters that could make it
// more than a heading. A name that is longer than MaxArea is none.
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

// leastClause is the fewest bytes of a clause that stands by itself.
const leastClause = 25

// FactImportance is the importance of a fact that a model gives a weight of 1 to 3; 0, of
// older answers, counts as 2.
func FactImportance(weight int) float64 {
	if weight == 0 {
		weight = 2
	}
	return 0.25 + 0.2*float64(min(max(weight, 1), 3))
}

// Distilled is a model's answer about one part of a session, or about the whole.
type Distilled struct {
	// Part is the key of the part (see package distill). Whole says that the digest is
	// that of the session, and not only of the part.
	Part   string `json:"part"`
	Whole  bool   `json:"whole,omitempty"`
	Model  string `json:"model"`
	Digest Digest `json:"digest"`
	// Facts are kept as memories; Kept counts them in a text without facts.
	Facts []DistilledFact `json:"facts,omitempty"`
	Kept  int             `json:"kept,omitempty"`
}

// DistilledFact is one fact that a model wrote, with the words that it rests on.
type DistilledFact struct {
	Text string `json:"text"`
	// Title and Area are as in Memory. An empty title is made of the text.
	Title string `json:"title,omitempty"`
	Area  string `json:"area,omitempty"`
	// Kind is the kind of the memory, Called the one that the model named: a fact that
	// rests on the assistant's words alone is kept as a discovery.
	Kind   Kind      `json:"kind"`
	Called Kind      `json:"called"`
	Quotes []string  `json:"quotes"` // verbatim
	From   []string  `json:"from"`   // the memories that hold these words
	At     time.Time `json:"at"`     // when they were said
	// Cues are the situations in which it is to be told; see Memory.
	Cues       []string `json:"cues,omitempty"`
	ByUser     bool     `json:"by_user,omitempty"` // it rests on words that the user typed
	Weight     int      `json:"weight,omitempty"`  // 1 to 3, by the model: the price of not knowing it; 0 of older answers
	Everywhere bool     `json:"everywhere,omitempty"`
	// About is a standing memory, and Relation the fact's relation to it; empty for none.
	About    string   `json:"about,omitempty"`
	Relation Relation `json:"relation,omitempty"`
	// Ends are other standing facts that are done, or no longer so, by this one.
	Ends []string `json:"ends,omitempty"`
}

// Replaces are the standing memories that the fact takes the place of.
func (f DistilledFact) Replaces() []string {
	if f.Relation == RelationCorrects || f.Relation == RelationSupersedes {
		return append([]string{f.About}, f.Ends...)
	}
	return f.Ends
}

// Relation relates a fact to a standing memory.
type Relation string

// The relations.
const (
	RelationConfirms   Relation = "confirms"
	RelationCorrects   Relation = "corrects"
	RelationSupersedes Relation = "supersedes"
)

// NewDistilledID is the id of the event that brings the model's answer about a part: the
// same each time, so that an answer is kept once.
func NewDistilledID(session, part string) string { return "distilled-" + digest(session, part) }

// DistilledText is the text of the session event that holds a model's answer without its
// facts: these are memories.
func DistilledText(d Distilled) (string, error) {
	d.Kept, d.Facts = len(d.Facts), nil
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("write a distillation: %w", err)
	}
	return string(text), nil
}

// DistilledOf decodes a text of DistilledText.
func DistilledOf(text string) (d Distilled, err error) {
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("read a distillation: %w", err)
	}
	return d, nil
}

// Derivation says that a memory was derived from another.
type Derivation struct {
	Memory string    `json:"memory" column:"in,of memory"`
	From   string    `json:"from" column:"out,of memory"`
	At     time.Time `json:"at"`
}

func (d *Distilled) validate(event string) error {
	if d == nil || d.Part == "" {
		return fmt.Errorf("event %s holds nothing that was distilled: %w", event, ErrInvalid)
	}
	for _, f := range d.Facts {
		switch {
		case Normalise(f.Text) == "" || len(f.Text) > MaxContent:
			return fmt.Errorf("event %s: a fact of %d bytes: %w", event, len(f.Text), ErrInvalid)
		case !f.Kind.known() || !f.Called.known():
			return fmt.Errorf("event %s: a fact of the unknown kind %q (%q): %w", event, f.Kind, f.Called, ErrInvalid)
		case f.At.IsZero() || len(f.Quotes) == 0:
			return fmt.Errorf("event %s: a fact without a date or without words that it rests on: %w", event, ErrInvalid)
		}
	}
	return nil
}
