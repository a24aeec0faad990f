package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
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
		return "", fmt.Errorf("write what was distilled: %w", err)
	}
	return string(text), nil
}

// DistilledOf decodes a text of DistilledText.
func DistilledOf(text string) (d Distilled, err error) {
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("read what was distilled: %w", err)
	}
	return d, nil
}

// Derivation says that a memory was derived from another.
type Derivation struct {
	Memory string    `json:"memory"`
	From   string    `json:"from"`
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
