// Package weights is every number of the ranking, with what it means and its default.
// It is apart from the ranking, so that the settings can hold the numbers themselves.
package weights

import (
	"math"
	"time"
)

// Weights are the numbers of the ranking. Their defaults were measured:
// docs/recall.md has the ablation. A weight of 0 turns its idea off.
type Weights struct {
	// K1 and B are BM25's: term-frequency saturation (0.4 to 2) and length
	// normalisation (0 to 1).
	K1 float64 `json:"k1"`
	B  float64 `json:"b"`

	// Own is the weight of the memory's own words, Context of its words together
	// with those of its neighbours, Session of all words of its session. Each is
	// a BM25 score. Context and Session count only for a memory that has a word of
	// the query itself.
	Own     float64 `json:"own"`
	Context float64 `json:"context"`
	Session float64 `json:"session"`
	// Next and Previous say what a word of the two memories after and before
	// counts in the context. Answer is added to Previous when the memory just
	// before asks a question, as what follows a question often answers it.
	Next     float64 `json:"next"`
	Previous float64 `json:"previous"`
	Answer   float64 `json:"answer"`
	// NeighbourGap is the time between two memories of a session from which they
	// are no neighbours.
	NeighbourGap time.Duration `json:"neighbour_gap"`
	// LongFrom is the number of words from which a memory speaks for itself: in a
	// longer one, the weight of the context moves to its own words, until in one of
	// twice as many half of it has; 0 never moves it.
	LongFrom float64 `json:"long_from"`
	// SmallSession damps the words of a session in which few others are: n others
	// count n/(n+SmallSession).
	SmallSession float64 `json:"small_session"`

	// Label is what being labelled with a name of the query counts ("Ann: ..."
	// when the query names Ann), in words that are in a third of the memories.
	Label float64 `json:"label"`
	// Frame is the weight of words that ask rather than name a topic ("what kind
	// of", "tell me"), beside 1 for others.
	Frame float64 `json:"frame"`
	// Variant is the weight of a word that is nearly the one asked for, when that
	// one is nowhere.
	Variant float64 `json:"variant"`
	// Synonym is the weight of a word that often stands for the one asked for.
	Synonym float64 `json:"synonym"`
	// Proximity is the share of two query words' weight added when they stand
	// together in the memory in the same order as in the query, at most two
	// words apart.
	Proximity float64 `json:"proximity"`
	// When is the share of the best score added to a memory with an expression
	// of time or date when the query asks when; Count the same for numbers when
	// it asks how many.
	When  float64 `json:"when"`
	Count float64 `json:"count"`

	// Embedding is the share of the best score by words that is added to a memory
	// whose embedding is near the query's (Near.Share 1). Those around it count by Next,
	// Previous and Reach.
	Embedding float64 `json:"embedding"`

	// Path, Name, Dir and Ext are the weights of a file that the query and the
	// memory have in common: the same path, file name, directory, extension.
	// Command is the same command line, Program the same program and
	// subcommand, Signature the same error. Each is multiplied by the match's
	// rarity.
	Path      float64 `json:"path"`
	Name      float64 `json:"name"`
	Dir       float64 `json:"dir"`
	Ext       float64 `json:"ext"`
	Command   float64 `json:"command"`
	Program   float64 `json:"program"`
	Signature float64 `json:"signature"`

	// Time is the weight of a memory being of the time the query names, as if
	// that were a word; TimeOutside multiplies what is not.
	Time        float64 `json:"time"`
	TimeOutside float64 `json:"time_outside"`

	// ScopeSession, ScopeProject and ScopeUser multiply memories of that scope.
	ScopeSession float64 `json:"scope_session"`
	ScopeProject float64 `json:"scope_project"`
	ScopeUser    float64 `json:"scope_user"`
	// Strength, Recency and SameSession are shares added for a memory at full
	// strength, in a session of this moment (halved each RecencyHalfLife), and in
	// the asking session itself.
	Strength        float64       `json:"strength"`
	Recency         float64       `json:"recency"`
	RecencyHalfLife time.Duration `json:"recency_half_life"`
	SameSession     float64       `json:"same_session"`
	// Fresh is Recency for what was picked out of a session (cards of its turns, and what
	// was stated and concluded in them), unless a question is asked: work goes on where it
	// was, and a question may be about any time.
	Fresh         float64       `json:"fresh"`
	FreshHalfLife time.Duration `json:"fresh_half_life"`
	// UserWords is the share added for what a person typed.
	UserWords float64 `json:"user_words"`
	// Turn and Report multiply cards of turns, and what else is only reported.
	Turn   float64 `json:"turn"`
	Report float64 `json:"report"`
	// Salience is the power of a memory's importance (beside 0.5, which is usual) that
	// multiplies the score of what somebody said.
	Salience float64 `json:"salience"`
	// Created, Consolidated and Archived multiply memories of that status (an
	// active one counts 1, a forgotten one is never recalled). 0 leaves out.
	Created      float64 `json:"created"`
	Consolidated float64 `json:"consolidated"`
	Archived     float64 `json:"archived"`
	// Superseded multiplies what something newer replaced; its successor comes
	// before it whatever the number.
	Superseded float64 `json:"superseded"`

	// A query that somebody asks is answered where one of the best memories has one of
	// its words, is of its time or matches exactly. Where nobody asked
	// (Query.Unasked), the best of them must surprise more than chance does by Chance,
	// in natural logarithms of odds; more means more silence. Always enough is the
	// name of someone who speaks in a tenth of the memories, and, without a text, the
	// same path, file name, command or error. A prompt of one word gets nothing.
	Chance float64 `json:"chance"`
	// Cover is the share of a short question, by the rarity of its words, that one memory
	// must have to be told although it surprises less than that.
	Cover float64 `json:"cover"`
	// Floor leaves out hits that score below this share of the best, where nobody
	// asked.
	Floor float64 `json:"floor"`

	// MaxPostings bounds the occurrences of words that one recall looks at,
	// rarest word first.
	MaxPostings int `json:"max_postings"`
}

// Default are the measured ones.
func Default() Weights {
	return Weights{
		K1: 1.2, B: 0.75,
		Own: 0.25, Context: 1, Session: 0.8,
		Next: 0.3, Previous: 0.5, Answer: 2, NeighbourGap: 10 * time.Minute, LongFrom: 40, SmallSession: 4,
		Label: 2, Frame: 0.7, Variant: 1, Synonym: 0.22, Proximity: 0.1, When: 0.25, Count: 0.1, Embedding: 0.4,
		Path: 3, Name: 1.5, Dir: 0.5, Ext: 0.1, Command: 3, Program: 1, Signature: 3,
		Time: 1.6, TimeOutside: 0.8,
		ScopeSession: 1.5, ScopeProject: 1, ScopeUser: 0.7,
		Strength: 0.1, Recency: 0.1, RecencyHalfLife: 7 * 24 * time.Hour, SameSession: 0.1,
		Fresh: 2, FreshHalfLife: 12 * time.Hour, UserWords: 1, Turn: 1, Report: 0.3, Salience: 0.5,
		Created: 1, Consolidated: 1, Archived: 0, Superseded: 0.5,
		Chance: 1, Cover: 0.55, Floor: 0.35,
		MaxPostings: 20_000,
	}
}

// PlainBM25 turns every idea off but BM25: what the ranking is measured against.
func PlainBM25() Weights {
	return Weights{
		K1: 1.2, B: 0.75, Own: 1, Frame: 1, TimeOutside: 1, ScopeSession: 1, ScopeProject: 1, ScopeUser: 1,
		Turn: 1, Report: 1, Created: 1, Consolidated: 1, Superseded: 1, MaxPostings: math.MaxInt,
	}
}
