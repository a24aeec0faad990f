// Package rules has every number that policies decide by, with its range, source and
// default. It is separate from the policies so that the settings can use it.
package rules

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ErrInconsistent: rules are out of their range, or rows or time contradict themselves.
var ErrInconsistent = errors.New("inconsistent input")

// Rules holds every number that policies decide by.
type Rules struct {
	Strength  StrengthRules
	Pruning   PruningRules
	Promotion PromotionRules
	Dedup     DedupRules
	Repeats   RepeatRules
	Stale     StaleRules
}

// StrengthRules say how fast memories fade.
type StrengthRules struct {
	// The half-lives of unused memories by type, in active days, above 0. Source:
	// the project's memory model, after Ebbinghaus' curve of forgetting.
	WorkingHalfLife    float64 // 1 hour
	EpisodicHalfLife   float64 // 1 day
	SemanticHalfLife   float64 // 7 days
	ProceduralHalfLife float64 // 30 days

	// Lengthening is the share of the half-life that each use adds to it, 0 or more; uses
	// multiply. Source: the memory model.
	Lengthening float64
	// LongestFactor bounds the factor of all uses on the half-life, 1 or more. Source: 20
	// % a use reaches 32 after 19 uses, when a procedure lasts some 950 active days;
	// without a bound 60 uses would make it last for ever.
	LongestFactor float64
}

// PruningRules are the bounds of archiving and forgetting.
type PruningRules struct {
	// ArchiveBelow is the strength under which a barely used memory is archived, 0
	// to 1. Source: the memory model.
	ArchiveBelow float64
	// BarelyUsed is the number of uses from which a memory is no longer archived for its
	// weakness alone, 0 or more. Source: one use more than the number that promotes a
	// memory to its project.
	BarelyUsed int
	// ForgetBelow is the strength under which an archived memory may be forgotten,
	// 0 to ArchiveBelow. Source: the memory model.
	ForgetBelow float64
	// Grace is how long a memory stays archived at least, in calendar time, so that
	// people can tell until when they can restore it; 0 or more. Source: as long
	// as the journal is kept, 30 days.
	Grace time.Duration

	// ProjectBudget and UserBudget bound the exact tokens of the active rows of one
	// project and of the user, above 0. Source: the memory model.
	ProjectBudget int
	UserBudget    int

	// LargestShare is the share of a scope's rows that may be archived or forgotten
	// within Window, above 0 to 1, but at least one row; 1 means no limit. Source: a
	// peer's consolidator destroyed 745 of 931 memories in one go.
	LargestShare float64
	// Window is the time over which LargestShare counts, so that frequent runs archive
	// no more than one. Calendar time, above 0. Source: half of the interval of the
	// daily run, so that its jitter does not matter.
	Window time.Duration
}

// PromotionRules say how far a memory reaches. Source of all: the memory model,
// except the margin.
type PromotionRules struct {
	// From the session to the project: at least this importance (0 to 1) and this many
	// uses (1 or more), or seen in this many sessions (2 or more).
	ProjectImportance float64
	ProjectUses       int
	ProjectSessions   int
	// From the project to the user: at least this importance, this many uses, and seen
	// in this many projects (2 or more); semantic and procedural memories only.
	UserImportance float64
	UserUses       int
	UserProjects   int
	// Margin is how far below the importance that promotes it a memory must fall
	// to be demoted, above 0, so that a small change cannot send it to and fro.
	// Source: the step between the importances that ingest gives.
	Margin float64
	// RepeatedImportance is the least importance of a statement that a rule took from a
	// prompt, and the person typed again in another session (in as many as
	// ProjectSessions), 0 to 1. Source: the importance of a convention that somebody
	// asked to be kept, because a person who says something twice means it.
	RepeatedImportance float64
}

// DedupRules say how alike the rows must be that are merged.
type DedupRules struct {
	// Similarity is the exact Jaccard similarity of the sets of normalised words
	// from which two memories may be the same, above 0 to 1. Source: the memory
	// model; checked on testdata/near-duplicates.
	Similarity float64
	// LeastWords is the number of different words, numbers and paths aside, that both
	// need at least, 1 or more. Source: one common word proves nothing.
	LeastWords int
	// SameOrder is the share of adjacent words that must be adjacent in both, 0 to 1:
	// sentences may be reordered, subject and object may not be exchanged. Source: a
	// text of three clauses in another order keeps more than half.
	SameOrder float64
	// MostBreaks is the number of adjacent word pairs that may be separated, 0 or more.
	// Source: moving one clause separates two pairs, exchanging two nouns three or
	// four.
	MostBreaks int
}

// RepeatRules say when repeated events become a fact.
type RepeatRules struct {
	// Episodes is the number of episodes that make one fact, 1 or more. Source: the
	// project's consolidation rules.
	Episodes int
	// TogetherShare is the share of the sessions that changed one of two files
	// which must have changed both, above 0.5 to 1. Source: "most sessions".
	TogetherShare float64
	// MostFiles is the number of changed files from which a session is ignored when
	// files that belong together are looked for, 2 or more. Source: a rename over the
	// whole tree; a pair count grows with its square.
	MostFiles int
	// ProcedureImportance and FailureImportance are the importance of new facts, 0 to 1.
	// Source: as a note's, since they rest on evidence.
	ProcedureImportance float64
	FailureImportance   float64
}

// StaleRules apply to a memory whose files have changed much or are gone.
type StaleRules struct {
	// Factor is multiplied with its importance, above 0 to 1; 1 changes nothing. Source:
	// as one half-life without use, since it may still be right.
	Factor float64
}

// Default returns the rules that hold if nothing is configured.
func Default() Rules {
	return Rules{
		Strength: StrengthRules{
			WorkingHalfLife: 1.0 / 24, EpisodicHalfLife: 1, SemanticHalfLife: 7, ProceduralHalfLife: 30,
			Lengthening: 0.2, LongestFactor: 32,
		},
		Pruning: PruningRules{
			ArchiveBelow: 0.1, BarelyUsed: 3, ForgetBelow: 0.01, Grace: 30 * 24 * time.Hour,
			ProjectBudget: 200_000, UserBudget: 50_000, LargestShare: 0.1, Window: 12 * time.Hour,
		},
		Promotion: PromotionRules{
			ProjectImportance: 0.5, ProjectUses: 2, ProjectSessions: 2,
			UserImportance: 0.7, UserUses: 5, UserProjects: 2, Margin: 0.2, RepeatedImportance: 0.8,
		},
		Dedup:   DedupRules{Similarity: 0.85, LeastWords: 2, SameOrder: 0.5, MostBreaks: 2},
		Repeats: RepeatRules{Episodes: 3, TogetherShare: 0.6, MostFiles: 30, ProcedureImportance: 0.6, FailureImportance: 0.6},
		Stale:   StaleRules{Factor: 0.5},
	}
}

// HalfLife is the half-life of an unused memory of a type, in active days.
func (r StrengthRules) HalfLife(t memory.Type) float64 {
	switch t {
	case memory.TypeWorking:
		return r.WorkingHalfLife
	case memory.TypeEpisodic:
		return r.EpisodicHalfLife
	case memory.TypeProcedural:
		return r.ProceduralHalfLife
	default:
		return r.SemanticHalfLife
	}
}

// Validate reports the first rule that is out of its range.
func (r Rules) Validate() error {
	s, p, u, d, t := r.Strength, r.Pruning, r.Promotion, r.Dedup, r.Repeats
	checks := []struct {
		name  string
		value float64
		ok    bool
	}{
		{"working half-life", s.WorkingHalfLife, above(s.WorkingHalfLife, 0)},
		{"episodic half-life", s.EpisodicHalfLife, above(s.EpisodicHalfLife, 0)},
		{"semantic half-life", s.SemanticHalfLife, above(s.SemanticHalfLife, 0)},
		{"procedural half-life", s.ProceduralHalfLife, above(s.ProceduralHalfLife, 0)},
		{"lengthening", s.Lengthening, s.Lengthening == 0 || above(s.Lengthening, 0)},
		{"longest factor", s.LongestFactor, s.LongestFactor == 1 || above(s.LongestFactor, 1)},
		{"archive below", p.ArchiveBelow, unit(p.ArchiveBelow)},
		{"barely used", float64(p.BarelyUsed), p.BarelyUsed >= 0},
		{"forget below", p.ForgetBelow, unit(p.ForgetBelow) && p.ForgetBelow <= p.ArchiveBelow},
		{"grace", p.Grace.Hours(), p.Grace >= 0},
		{"project budget", float64(p.ProjectBudget), p.ProjectBudget > 0},
		{"user budget", float64(p.UserBudget), p.UserBudget > 0},
		{"largest share", p.LargestShare, unit(p.LargestShare) && p.LargestShare > 0},
		{"window", p.Window.Hours(), p.Window > 0},
		{"project importance", u.ProjectImportance, unit(u.ProjectImportance)},
		{"project uses", float64(u.ProjectUses), u.ProjectUses >= 1},
		{"project sessions", float64(u.ProjectSessions), u.ProjectSessions >= 2},
		{"user importance", u.UserImportance, unit(u.UserImportance)},
		{"user uses", float64(u.UserUses), u.UserUses >= 1},
		{"user projects", float64(u.UserProjects), u.UserProjects >= 2},
		{"margin", u.Margin, unit(u.Margin) && u.Margin > 0},
		{"repeated importance", u.RepeatedImportance, unit(u.RepeatedImportance)},
		{"similarity", d.Similarity, unit(d.Similarity) && d.Similarity > 0},
		{"least words", float64(d.LeastWords), d.LeastWords >= 1},
		{"same order", d.SameOrder, unit(d.SameOrder)},
		{"most breaks", float64(d.MostBreaks), d.MostBreaks >= 0},
		{"episodes", float64(t.Episodes), t.Episodes >= 1},
		{"together share", t.TogetherShare, t.TogetherShare > 0.5 && t.TogetherShare <= 1},
		{"most files", float64(t.MostFiles), t.MostFiles >= 2},
		{"procedure importance", t.ProcedureImportance, unit(t.ProcedureImportance)},
		{"stale factor", r.Stale.Factor, unit(r.Stale.Factor) && r.Stale.Factor > 0},
		{"failure importance", t.FailureImportance, unit(t.FailureImportance)},
	}
	for _, check := range checks {
		if !check.ok {
			return fmt.Errorf("rule %q is %v, out of its range: %w", check.name, check.value, ErrInconsistent)
		}
	}
	return nil
}

// above is false for NaN and for infinity.
func above(value, limit float64) bool { return value > limit && !math.IsInf(value, 1) }

func unit(value float64) bool { return value >= 0 && value <= 1 }
