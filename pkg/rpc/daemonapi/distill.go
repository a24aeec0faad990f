package daemonapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods of distillation by a model.
var (
	// MethodDistill distils one session now, or returns the questions that a model would
	// get.
	MethodDistill = Method[DistillParams, DistillResult]{"distill"}
	// MethodDistillEstimate estimates the cost of distilling the newest sessions. It asks
	// no model.
	MethodDistillEstimate = Method[DistillEstimateParams, DistillEstimate]{"distill_estimate"}
	// MethodSwitchDistill returns the settings of distillation in force, which the daemon reads before each use.
	MethodSwitchDistill = Method[None, DistillState]{"switch_distill"}
	// MethodSpend returns the cost of a model's calls in the given number of days, including today.
	MethodSpend = Method[int, SpendResult]{"spend"}
)

// DistillParams name a session by its id or the beginning of the id.
type DistillParams struct {
	Session string `json:"session"`
	DryRun  bool   `json:"dry_run"`
}

// DistillResult holds the calls that were made, or would be, and their outcome.
type DistillResult struct {
	Session string              `json:"session"`
	Calls   []DistillCall       `json:"calls"`
	Whole   bool                `json:"whole,omitempty"` // a call for the summary of the parts follows
	Digest  memory.Digest       `json:"digest,omitzero"`
	Facts   []DistillFact       `json:"facts,omitempty"`
	Dropped []string            `json:"dropped,omitempty"` // of the answers, and why
	State   string              `json:"state,omitempty"`   // of the session in the queue
	Reason  string              `json:"reason,omitempty"`  // of that state
	Spent   []memory.SpendTotal `json:"spent,omitempty"`   // on this session, by day and job
	// Stopped is the reason why no further session can be asked about now.
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
	Tokens   int    `json:"tokens"`     // of both and the schema of the answer, exact by the named encoding
	Most     int    `json:"max_output"` // tokens of the answer
	Encoding string `json:"encoding"`
	// Skipped is set if the part is not asked about: it was answered, or the client has summed it up.
	Skipped bool `json:"skipped,omitempty"`
}

// DistillEstimateParams select the newest sessions to look at.
type DistillEstimateParams struct {
	Sessions int       `json:"sessions"`
	Since    time.Time `json:"since,omitzero"` // leave out those whose last event was before
	// Backlog leaves out sessions that are not over or were given up, and asks for the ids of
	// the sessions that a model would be asked about.
	Backlog bool `json:"backlog,omitempty"`
}

// DistillEstimate is an upper bound of the cost.
type DistillEstimate struct {
	Sessions int     `json:"sessions"` // the number of sessions looked at
	Asked    int     `json:"asked"`    // of them, those that a model would be asked about
	Calls    int     `json:"calls"`
	Input    int     `json:"input"`  // tokens, with those that a runner adds
	Output   int     `json:"output"` // the most
	USD      float64 `json:"usd"`    // by the prices in the settings, at the most
	// Over counts the sessions that exceed the limit of a session, and are cut at the limit.
	Over int `json:"over"`
	// DayTokens is the limit of a day. With it, the backlog takes Days.
	DayTokens int `json:"day_tokens"`
	Days      int `json:"days"`
	// Pending lists the sessions of the backlog, in the order in which they ended.
	Pending []string `json:"pending,omitempty"`
}

// DistillBill is an estimate, kept in the file Layout.DistillBill, of what a model would have cost and kept. It covers the sessions
// since the user was asked about distillation and did not answer.
type DistillBill struct {
	Sessions   int     `json:"sessions"`
	USD        float64 `json:"usd"` // at the most
	LeastFacts int     `json:"least_facts"`
	MostFacts  int     `json:"most_facts"`
	Receiver   string  `json:"receiver"` // of the words, by the settings that the daemon has in force
}

// SpendResult is the cost of past calls.
type SpendResult struct {
	Totals []memory.SpendTotal `json:"totals"`
	Status DistillStatus       `json:"status"`
}

// DistillStatus describes the state of distillation.
type DistillStatus struct {
	DistillState
	Today   int    `json:"today"`             // tokens that were spent on this day by UTC
	Waiting int    `json:"waiting"`           // sessions in the queue
	Dead    int    `json:"dead"`              // sessions that failed too often
	Stopped string `json:"stopped,omitempty"` // why nothing is asked now
	// Running is the call that has not ended; its tokens count as spent until it reports its own.
	Running *RunningCall `json:"running,omitempty"`
}

// RunningCall is a question to a model that is not answered yet.
type RunningCall struct {
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
	Tokens  int       `json:"tokens"` // the most that it may cost
}

// DistillState holds the settings in force in a daemon, whatever the settings of other programs.
type DistillState struct {
	Enabled       bool   `json:"enabled"`
	Receiver      string `json:"receiver"`       // of the words, for people
	SessionTokens int    `json:"session_tokens"` // the limit of a session
	DayTokens     int    `json:"day_tokens"`     // the limit of a day
}
