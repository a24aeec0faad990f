// Package rules has every number that policies decide by, with its source. The struct Rules has the numbers that
// people can set; the others are constants. The package is separate from package policy so that the settings can use
// it.
package rules

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Rules are the numbers of maintenance that people can set; package config bounds them.
type Rules struct {
	// Half-lives of unused memories by type, in active days, above 0. Source: the
	// project's memory model, after Ebbinghaus' curve of forgetting.
	EpisodicHalfLife   float64
	SemanticHalfLife   float64
	ProceduralHalfLife float64

	// ProjectBudget and UserBudget are the most tokens, counted exactly, of the active rows of a
	// project and of the user, above 0. Source: the memory model.
	ProjectBudget int
	UserBudget    int
	// LargestShare is the largest share of a scope's rows that may be archived within
	// Window. It is above 0 and at most 1; one row may always go. 1 means no limit, and a request can
	// ask for it. Source: the consolidation of another product deleted 745 of 931 memories
	// in one run.
	LargestShare float64
}

// Default returns the rules that hold if nothing is configured.
func Default() Rules {
	return Rules{
		EpisodicHalfLife: 1, SemanticHalfLife: 7, ProceduralHalfLife: 30,
		ProjectBudget: 200_000, UserBudget: 50_000, LargestShare: 0.1,
	}
}

// HalfLife returns the half-life of an unused memory of a type, in active days.
func (r Rules) HalfLife(t memory.Type) float64 {
	switch t {
	case memory.TypeEpisodic:
		return r.EpisodicHalfLife
	case memory.TypeProcedural:
		return r.ProceduralHalfLife
	default:
		return r.SemanticHalfLife
	}
}

// How memories fade, and how use strengthens them.
const (
	// Lengthening is the share by which each use lengthens the half-life; every use multiplies it
	// by 1 plus this share. Source: the memory model.
	Lengthening = 0.2
	// LongestFactor is the greatest factor of all uses on the half-life. Source: at 20 % a use, 19
	// uses reach 32, and a procedure then lasts some 950 active days; without a limit, 60 uses would
	// make it last for ever.
	LongestFactor = 32.0
)

// The limits of archiving that nobody can set.
const (
	// ArchiveBelow is the strength below which a barely used memory is archived. Source: the
	// memory model.
	ArchiveBelow = 0.1
	// EnoughUses is the number of uses from which a memory is no longer archived for its weakness
	// alone. Source: one use more than the number that promotes a memory to its
	// project.
	EnoughUses = 3
	// Window is the calendar time over which LargestShare is counted, so that several runs within
	// it archive no more together than a single run may. Source: half of the interval of the daily
	// run, so that a late run does not matter.
	Window = 12 * time.Hour
)

// When a memory gets a wider scope. Source: the memory model.
const (
	// From the session to the project: at least this importance and this many uses, or seen in
	// ProjectSessions.
	ProjectImportance = 0.5
	ProjectUses       = 2
	ProjectSessions   = 2
	// From the project to the user: at least this importance, this many uses, and seen in
	// UserProjects; semantic and procedural memories only.
	UserImportance = 0.7
	UserUses       = 5
	UserProjects   = 2
)

// How alike memories must be to be merged.
const (
	// Similarity is the least Jaccard similarity of the sets of normalised words of two memories
	// that may be the same, computed exactly. Source: the memory model; checked on
	// testdata/near-duplicates.
	Similarity = 0.85
	// LeastWords is the least number of different words, not counting numbers and paths, that each
	// of the two must have. Source: one common word proves nothing.
	LeastWords = 2
)
