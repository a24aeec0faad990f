package memory

import "time"

// Distillation is an entry in the queue of sessions that a model is to distil. A session
// has one entry.
type Distillation struct {
	Session string            `json:"session" column:"id,of session"`
	State   DistillationState `json:"state"`
	Trigger string            `json:"trigger" holds:"word"` // origin of the last request: session_end, compaction, catch_up, manual
	Tries   int               `json:"tries"`                // failed attempts since the last request
	NextTry time.Time         `json:"next_try"`
	// Reason explains why it waits again, is dead, or was done without a call. Notes list
	// the rejected parts of answers, with reasons.
	Reason   string    `json:"reason,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	QueuedAt time.Time `json:"queued_at"`
}

// DistillationState is the state of a session in the queue.
type DistillationState string

const (
	DistillationWaiting DistillationState = "waiting"
	DistillationRunning DistillationState = "running" // running, or its daemon was killed
	DistillationDone    DistillationState = "done"
	DistillationDead    DistillationState = "dead" // given up after too many failures; only a person's request revives it
)

// DistillationQuery selects entries of the queue, the earliest next try first.
type DistillationQuery struct {
	States   []DistillationState
	Sessions []string // nil: all sessions
	Limit    int
}

// Spend is the cost of one call of a model.
type Spend struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Session string    `json:"session" holds:"id"`
	Job     string    `json:"job" holds:"word"`    // part: a question about a part of a session
	Runner  string    `json:"runner" holds:"word"` // the program that called the model
	Model   string    `json:"model" holds:"word"`
	Input   int       `json:"input"` // tokens, including cached ones
	Output  int       `json:"output"`
	USD     float64   `json:"usd"` // cost as reported by the runner; 0 if it reports none
	// Estimated: the runner reported no tokens, because it was killed or is still running.
	// Input is then our own count, and Output the allowed maximum.
	Estimated bool   `json:"estimated,omitempty"`
	Error     string `json:"error,omitempty"` // the reason for a missing answer
}

type SpendQuery struct {
	Since   time.Time
	Session string // empty: all sessions
}

// SpendTotal sums up the costs of one UTC day.
type SpendTotal struct {
	Day       string  `json:"day"` // 2006-01-02
	Calls     int     `json:"calls"`
	Failed    int     `json:"failed"`    // calls without an answer
	Estimated int     `json:"estimated"` // calls whose tokens the runner did not report
	Input     int     `json:"input"`
	Output    int     `json:"output"`
	USD       float64 `json:"usd"`
}

// Tokens returns the number of tokens that limits apply to.
func (t SpendTotal) Tokens() int { return t.Input + t.Output }
