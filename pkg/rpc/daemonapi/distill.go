package daemonapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods of distillation by a model.
var (
	// MethodDistill distils one session now. With DryRun it returns the questions for the model without asking them.
	MethodDistill = Method[DistillParams, DistillResult]{"distill"}
	// MethodDistillEstimate estimates the cost of distilling the backlog: the newest sessions that are over, without
	// sessions that were distilled or given up. It asks no model.
	MethodDistillEstimate = Method[DistillEstimateParams, DistillEstimate]{"distill_estimate"}
	// MethodSpend returns what a model's calls cost in the given number of days, including today.
	MethodSpend = Method[int, SpendResult]{"spend"}
)

// DistillParams names a session by its id or the beginning of its id.
type DistillParams struct {
	Session string `json:"session"`
	DryRun  bool   `json:"dry_run"`
}

// DistillResult holds the calls that were made, or would be made, and their outcome.
type DistillResult struct {
	Session string              `json:"session"`
	Calls   []DistillCall       `json:"calls"`
	Digest  memory.Digest       `json:"digest,omitzero"`
	Facts   []DistillFact       `json:"facts,omitempty"`
	Dropped []string            `json:"dropped,omitempty"` // dropped parts of the answers, with reasons
	State   string              `json:"state,omitempty"`   // state of the session in the queue
	Reason  string              `json:"reason,omitempty"`  // reason for the state
	Spent   []memory.SpendTotal `json:"spent,omitempty"`   // what this session has cost, by day
	// Stopped is the reason why no other session can be distilled now.
	Stopped string `json:"stopped,omitempty"`
}

// DistillFact is a fact that was kept, with the id of its memory.
type DistillFact struct {
	ID string `json:"id"`
	memory.DistilledFact
}

// DistillCall is one question to the model.
type DistillCall struct {
	System   string `json:"system"`
	Prompt   string `json:"prompt"`
	Tokens   int    `json:"tokens"`     // tokens of System, Prompt and the answer's schema, exact by Encoding
	Most     int    `json:"max_output"` // maximum number of tokens of the answer
	Encoding string `json:"encoding"`
	// Skipped is set if the model is not asked about the part, because it has answered before.
	Skipped bool `json:"skipped,omitempty"`
}

// DistillEstimateParams selects the newest sessions to estimate.
type DistillEstimateParams struct {
	Sessions int       `json:"sessions"`
	Since    time.Time `json:"since,omitzero"` // leave out sessions whose last event is older
}

// DistillEstimate is an upper bound of a cost.
type DistillEstimate struct {
	// Pending lists the sessions that a model would be asked about, sorted by their end.
	Pending []string `json:"pending,omitempty"`
	Calls   int      `json:"calls"`
	Input   int      `json:"input"`  // tokens sent, including what the client adds
	Output  int      `json:"output"` // maximum number of tokens of the answers
	USD     float64  `json:"usd"`    // maximum cost by the prices in the settings
	// Over counts the sessions that are cut at the limit of tokens for one session.
	Over int `json:"over"`
	// DayTokens is the limit of tokens for one day; Days is how many days the sessions take with this limit.
	DayTokens int `json:"day_tokens"`
	Days      int `json:"days"`
}

// SpendResult is the cost of past calls.
type SpendResult struct {
	Totals []memory.SpendTotal `json:"totals"`
	Status DistillStatus       `json:"status"`
}

// DistillStatus describes the state of distillation.
type DistillStatus struct {
	Enabled       bool   `json:"enabled"`
	Receiver      string `json:"receiver"`          // who gets the words, for people to read
	SessionTokens int    `json:"session_tokens"`    // limit of tokens for one session
	DayTokens     int    `json:"day_tokens"`        // limit of tokens for one day
	Today         int    `json:"today"`             // tokens spent today (UTC)
	Waiting       int    `json:"waiting"`           // sessions in the queue
	Dead          int    `json:"dead"`              // sessions that failed too often
	Stopped       string `json:"stopped,omitempty"` // reason why nothing is asked now
	// Running is the call under way; Tokens counts as spent until the call reports its own number.
	Running *RunningCall `json:"running,omitempty"`
}

// RunningCall is a question that the model has not answered yet.
type RunningCall struct {
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
	Tokens  int       `json:"tokens"` // maximum number of tokens that it may cost
}
