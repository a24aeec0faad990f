package recall

import (
	"math"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/weights"
)

// Weights are the numbers of the ranking.
type Weights = weights.Weights

// DefaultWeights returns the measured weights.
func DefaultWeights() Weights { return weights.Default() }

// PlainBM25 turns off everything but BM25. It is the baseline of the measurements.
func PlainBM25() Weights { return weights.PlainBM25() }

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
		return w.ScopeProject
	}
}

// statusFactor is the factor of a status.
func statusFactor(w *Weights, s memory.Status) float64 {
	switch s {
	case memory.StatusCreated:
		return w.Created
	case memory.StatusConsolidated:
		return w.Consolidated
	case memory.StatusArchived:
		return w.Archived
	case memory.StatusForgotten, memory.StatusQuarantined, memory.StatusEvidence:
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
