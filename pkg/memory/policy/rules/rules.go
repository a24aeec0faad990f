// Package rules has every number that policies decide by, with its source: those that people
// can set are in Rules, the others are constants. It is separate from the policies so that the
// settings can use it.
package rules

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rules are the numbers of maintenance that people can set; package config bounds them.
type Rules struct {
	// The half-lives of unused memories by type, but for working ones, in active days, above 0. Source:
	// the project's memory model, after Ebbinghaus' curve of forgetting.
	EpisodicHalfLife   float64
	SemanticHalfLife   float64
	ProceduralHalfLife float64

	// Grace is how long a memory stays archived at least, in calendar time, so that people can find
	// out until when they can restore it; 0 or more. Source: as long as the journal is kept,
	// 30 days.
	Grace time.Duration
	// ProjectBudget and UserBudget bound the exact tokens of the active rows of one
	// project and of the user, above 0. Source: the memory model.
	ProjectBudget int
	UserBudget    int
	// LargestShare is the share of a scope's rows that may be archived or forgotten
	// within Window, above 0 to 1, but at least one row; 1, which a request can force, means
	// no limit. Source: a peer's consolidator destroyed 745 of 931 memories in one go.
	LargestShare float64
}

// Default returns the rules that hold if nothing is configured.
func Default() Rules {
	return Rules{
		EpisodicHalfLife: 1, SemanticHalfLife: 7, ProceduralHalfLife: 30,
		Grace: 30 * 24 * time.Hour, ProjectBudget: 200_000, UserBudget: 50_000, LargestShare: 0.1,
	}
}

// HalfLife returns the half-life of an unused memory of a type, in active days.
func (r Rules) HalfLife(t memory.Type) float64 {
	switch t {
	case memory.TypeWorking:
		return WorkingHalfLife
	case memory.TypeEpisodic:
		return r.EpisodicHalfLife
	case memory.TypeProcedural:
		return r.ProceduralHalfLife
	default:
		return r.SemanticHalfLife
	}
}

// How memories fade, and use strengthens them.
const (
	// WorkingHalfLife is that of a working memory, in active days. Source: the memory model.
	WorkingHalfLife = 1.0 / 24
	// Lengthening is the share of the half-life that each use adds to it; uses multiply.
	// Source: the memory model.
	Lengthening = 0.2
	// LongestFactor bounds the factor of all uses on the half-life. Source: 20 % a use
	// reaches 32 after 19 uses, when a procedure lasts some 950 active days; without a bound
	// 60 uses would make it last for ever.
	LongestFactor = 32.0
)

// The bounds of archiving and forgetting that nobody can set.
const (
	// ArchiveBelow is the strength under which a barely used memory is archived. Source:
	// the memory model.
	ArchiveBelow = 0.1
	// BarelyUsed is the number of uses from which a memory is no longer archived for its
	// weakness alone. Source: one use more than the number that promotes a memory to its
	// project.
	BarelyUsed = 3
	// ForgetBelow is the strength under which an archived memory may be forgotten. Source:
	// the memory model.
	ForgetBelow = 0.01
	// Window is the time over which LargestShare counts, so that frequent runs archive
	// no more than one. Calendar time. Source: half of the interval of the daily run, so
	// that its jitter does not matter.
	Window = 12 * time.Hour
)

// How far a memory reaches. Source of all but the margin: the memory model.
const (
	// From the session to the project: at least this importance and this many uses, or
	// seen in this many sessions.
	ProjectImportance = 0.5
	ProjectUses       = 2
	ProjectSessions   = 2
	// From the project to the user: at least this importance, this many uses, and seen
	// in this many projects; semantic and procedural memories only.
	UserImportance = 0.7
	UserUses       = 5
	UserProjects   = 2
	// Margin is how far below the importance that promotes it a memory must fall
	// to be demoted, so that a small change cannot send it to and fro.
	// Source: the step between the importances that ingest gives.
	Margin = 0.2
)

// How alike the memories must be that are merged.
const (
	// Similarity is the exact Jaccard similarity of the sets of normalised words
	// from which two memories may be the same. Source: the memory model; checked on
	// testdata/near-duplicates.
	Similarity = 0.85
	// LeastWords is the number of different words, numbers and paths aside, that both
	// need at least. Source: one common word proves nothing.
	LeastWords = 2
)
