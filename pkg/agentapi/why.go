package agentapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var (
	// MethodWhy returns the memories that a prompt would be told now, with reasons, and
	// those that it would just miss; also those that it was told when it was typed.
	MethodWhy = Method[WhyParams, WhyResult]{"why"}
	// MethodMark keeps a person's verdict on the answer to a prompt, as a line of the
	// evaluation set of this home.
	MethodMark = Method[Mark, None]{"mark"}
	// MethodEvaluate holds recall, as it is now, against all that was marked. It has no
	// parameters.
	MethodEvaluate = Method[None, Evaluation]{"evaluate"}
)

// WhyParams is a prompt, typed into a new session of the project.
type WhyParams struct {
	Project string `json:"project"`
	Text    string `json:"text"`
	// Session and At are where and when the prompt was typed, to find the memories it was
	// told then; empty: they are not looked for.
	Session string    `json:"session,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// ResolveProject implements ProjectNamer.
func (p *WhyParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// WhyResult is the answer that the prompt would get.
type WhyResult struct {
	Told   []WhyHit `json:"told"`   // the best first
	Missed []WhyHit `json:"missed"` // the best first
	Silent bool     `json:"silent"` // nothing is told
	// Then holds the memories that the session was told when the prompt was typed, as far
	// as they are recorded, with their present texts; those that it just missed are not
	// recorded.
	Then []memory.Memory `json:"then,omitempty"`
}

// WhyHit is a memory under a prompt.
type WhyHit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"` // only compares memories under one prompt
	// Why lists the parts of the score of a memory that is told, or the reason why
	// another one is not.
	Why string `json:"why"`
	// KnownSince is when the session of the prompt was told the memory before the prompt;
	// it is not told again then.
	KnownSince time.Time `json:"known_since,omitzero"`
}

// Mark names the right answer to a prompt.
type Mark struct {
	At      time.Time `json:"at"`
	Project string    `json:"project"`
	Prompt  string    `json:"prompt"`
	// Memory is the id of the memory that should have been told; empty: none should have
	// been.
	Memory string `json:"memory,omitempty"`
}

// ResolveProject implements ProjectNamer.
func (m *Mark) ResolveProject(resolve func(string) string) { m.Project = resolve(m.Project) }

// Evaluation is how recall fares on the marks.
type Evaluation struct {
	File string `json:"file"` // where the marks are
	// Silences counts the prompts that should be told nothing, and Kept those that are.
	// Wanted counts the memories that should be told, and Told those that are.
	Silences int          `json:"silences"`
	Kept     int          `json:"kept"`
	Wanted   int          `json:"wanted"`
	Told     int          `json:"told"`
	Failed   []FailedMark `json:"failed"`
}

// FailedMark is a mark that recall does not fulfil, with recall's actual answer.
type FailedMark struct {
	Mark
	Why string `json:"why"`
}
