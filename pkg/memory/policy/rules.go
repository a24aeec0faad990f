package policy

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// This file has every number that policies decide by, with its source.

// Limits bound what Prune keeps.
type Limits struct {
	// ProjectBudget and UserBudget are the maximum numbers of tokens, counted exactly, of the active rows of a
	// project and of the user. Both are above 0. Source: the project's memory model.
	ProjectBudget int
	UserBudget    int
}

// UsualLimits returns the limits of a daemon; tests have smaller ones.
func UsualLimits() Limits {
	return Limits{ProjectBudget: 200_000, UserBudget: 50_000}
}

// halfLives are the half-lives of unused memories by type, in active days. Source: the project's memory model, after
// Ebbinghaus' curve of forgetting.
var halfLives = map[memory.Type]float64{memory.TypeEpisodic: 1, memory.TypeSemantic: 7, memory.TypeProcedural: 30}

// How memories fade, and how use strengthens them.
const (
	// Lengthening is the share by which each use lengthens the half-life; every use multiplies it
	// by 1 plus this share. Source: the memory model.
	Lengthening = 0.2
	// LongestFactor is the greatest factor of all uses on the half-life. Source: at 20 % a use, 19 uses reach 32, and a procedure
	// then lasts some 950 active days; without a limit, 60 uses would make it last for ever.
	LongestFactor = 32.0
)

// When a memory is archived.
const (
	// ArchiveBelow is the strength below which a barely used memory is archived. Source: the memory model.
	ArchiveBelow = 0.1
	// EnoughUses is the number of uses from which a memory is no longer archived for its weakness
	// alone. Source: the memory model.
	EnoughUses = 3
)

// A semantic or procedural memory of a project gets the scope user if it has at least this importance and this many uses, and
// was seen in this many projects. Source: the memory model.
const (
	UserImportance = 0.7
	UserUses       = 5
	UserProjects   = 2
)
