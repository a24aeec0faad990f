package recall

import (
	"math"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Weights are the numbers of the ranking. Their defaults were measured: docs/lab/recall.md
// has the ablation. A weight of 0 turns its term off.
type Weights struct {
	// K1 and B are BM25's: term-frequency saturation (0.4 to 2) and length
	// normalisation (0 to 1).
	K1 float64
	B  float64

	// Own weighs the words of the memory itself, Context the words of the memory and
	// its neighbours. Each is a BM25 score. Context counts only for a memory that
	// contains a word of the query.
	Own     float64
	Context float64
	// Next and Previous weigh the words of the two memories after and before a memory
	// in its context. Answer is added to Previous when the memory directly before asks
	// a question, because the answer often follows.
	Next     float64
	Previous float64
	Answer   float64
	// NeighbourGap is the time from which two memories of a session no longer count as
	// neighbours.
	NeighbourGap time.Duration
	// LongFrom is a length in words. Above it, weight moves from the context to the
	// memory's own words: half of it at twice the length. 0 moves none.
	LongFrom float64

	// Label is the weight of a memory labelled with a name of the query ("Ann: ..."
	// when the query names Ann), relative to a word found in a third of the memories.
	Label float64
	// Frame is the weight of words that phrase the question ("what kind of", "tell me")
	// and name no topic. Other words weigh 1.
	Frame float64
	// Variant is the weight of an indexed word similar to a query word that is not in
	// the index.
	Variant float64
	// Synonym is the weight of a synonym of a query word.
	Synonym float64
	// When is the share of the best score added to a memory that contains an expression
	// of time or date, when the query asks when. Count is the same for numbers, when
	// the query asks how many.
	When  float64
	Count float64

	// Embedding is the share of the best word score added to a memory whose embedding
	// is near the query's (Near.Share 1). Next and Previous weigh the neighbours'
	// embeddings.
	Embedding float64

	// Path, Name, Dir and Ext weigh a file of the memory that has the same path, file
	// name, directory or extension as one of the query. Command weighs the same command
	// line, Program the same program and subcommand, Signature the same error. Each is
	// multiplied by the inverse document frequency of the match.
	Path      float64
	Name      float64
	Dir       float64
	Ext       float64
	Command   float64
	Program   float64
	Signature float64

	// Time weighs a memory from the time that the query names, as if the time were a
	// query word. TimeOutside multiplies the score of all other memories.
	Time        float64
	TimeOutside float64

	// ScopeSession and ScopeUser multiply memories of that scope; those of the project
	// count 1.
	ScopeSession float64
	ScopeUser    float64
	// Strength is the share added for a memory at full strength.
	Strength float64
	// Fresh is the share added for cards of turns, statements and conclusions that were
	// just seen, halved each FreshHalfLife, unless the query is a question: work continues
	// where it stopped, but a question can be about any time.
	Fresh         float64
	FreshHalfLife time.Duration
	// UserWords is the share added for words that the user typed.
	UserWords float64
	// Turn multiplies cards of turns, Report other memories that are only reported.
	Turn   float64
	Report float64
	// Salience is the exponent of a memory's importance relative to 0.5, the usual one.
	// The power multiplies the score of statements and conclusions.
	Salience float64
	// Superseded multiplies the score of a superseded memory. Its successor always
	// ranks before it.
	Superseded float64

	// A query that the user or the model asks is answered when one of the best memories
	// contains one of its words, is from its time or matches exactly; an unasked query
	// (Query.Unasked) by the same path, file name, command or error.

	// Floor is the share of the best score below which an unasked query drops hits.
	Floor float64

	// MaxPostings bounds the postings that one recall reads, rarest word first.
	MaxPostings int
}

// DefaultWeights returns the measured weights.
func DefaultWeights() Weights {
	return Weights{
		K1: 1.2, B: 0.75,
		Own: 0.25, Context: 1,
		Next: 0.3, Previous: 0.5, Answer: 2, NeighbourGap: 10 * time.Minute, LongFrom: 40,
		Label: 2, Frame: 0.7, Variant: 1, Synonym: 0.22, When: 0.25, Count: 0.1, Embedding: 0.4,
		Path: 3, Name: 1.5, Dir: 0.5, Ext: 0.1, Command: 3, Program: 1, Signature: 3,
		Time: 1.6, TimeOutside: 0.8,
		ScopeSession: 1.5, ScopeUser: 0.7,
		Strength: 0.1, Fresh: 2, FreshHalfLife: 12 * time.Hour, UserWords: 1, Turn: 1, Report: 0.3, Salience: 0.5,
		Superseded:  0.5,
		Floor:       0.35,
		MaxPostings: 20_000,
	}
}

// PlainBM25 turns off everything but BM25. It is the baseline of the measurements.
func PlainBM25() Weights {
	return Weights{
		K1: 1.2, B: 0.75, Own: 1, Frame: 1, TimeOutside: 1, ScopeSession: 1, ScopeUser: 1,
		Turn: 1, Report: 1, Superseded: 1, MaxPostings: math.MaxInt,
	}
}

// halfLife is the time in which a memory of a type loses half its strength if it is not
// seen again.
func halfLife(t memory.Type) time.Duration {
	const day = 24 * time.Hour
	switch t {
	case memory.TypeWorking:
		return time.Hour
	case memory.TypeEpisodic:
		return day
	case memory.TypeProcedural:
		return 30 * day
	default:
		return 7 * day
	}
}

// strength is importance x 0.5^(age since last seen / half-life), 0 to 1. A pinned
// memory does not fade. Strength only orders hits; package policy archives by active
// days and uses.
func strength(m *memory.Memory, now time.Time) float64 {
	importance := min(max(m.Importance, 0), 1)
	if m.Pinned {
		return importance
	}
	return importance * fade(now.Sub(m.LastSeenAt), halfLife(m.Type))
}

// fade is 0.5^(age/halfLife), 1 for a time in the future.
func fade(age, halfLife time.Duration) float64 {
	if halfLife <= 0 {
		return 0
	}
	return math.Exp2(-float64(max(age, 0)) / float64(halfLife))
}

// scopeFactor is the factor of a scope.
func scopeFactor(w *Weights, s memory.Scope) float64 {
	switch s {
	case memory.ScopeSession:
		return w.ScopeSession
	case memory.ScopeUser:
		return w.ScopeUser
	default:
		return 1
	}
}

// statusFactor is 0 for a status that is not recalled.
func statusFactor(s memory.Status) float64 {
	switch s {
	case memory.StatusArchived, memory.StatusForgotten, memory.StatusQuarantined, memory.StatusEvidence, memory.StatusProposed:
		return 0
	default:
		return 1
	}
}

// kindFactor is the factor of a memory's kind and importance.
func kindFactor(w *Weights, m *memory.Memory) float64 {
	const usual, least = 0.5, 0.05
	switch {
	case m.Kind == memory.KindTurn:
		return w.Turn
	case m.IsHearsay():
		return w.Report // the importance of a report says little
	default:
		return math.Pow(max(m.Importance, least)/usual, w.Salience)
	}
}
