package memory

import "time"

// Distillation is a session in the queue of those that a model is to distil. A session
// is in the queue once.
type Distillation struct {
	Session string            `json:"session" column:"id,of session"`
	State   DistillationState `json:"state"`
	Trigger string            `json:"trigger"` // of the last request: session_end, compaction, catch_up, manual
	Tries   int               `json:"tries"`   // that failed, since it was last asked for
	NextTry time.Time         `json:"next_try"`
	// Reason says why it waits again, is dead, or was done without asking. Notes list the
	// dropped parts of answers, with reasons.
	Reason   string    `json:"reason,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	QueuedAt time.Time `json:"queued_at"`
}

// DistillationState is where a session is in the queue.
type DistillationState string

// The states.
const (
	DistillationWaiting DistillationState = "waiting"
	DistillationRunning DistillationState = "running" // or was, when its agent died
	DistillationDone    DistillationState = "done"
	DistillationDead    DistillationState = "dead" // it failed too often; only a person asks again
)

// DistillationQuery asks for rows of the queue, those whose next try is first.
type DistillationQuery struct {
	States   []DistillationState
	Sessions []string  // only these; nil: all
	Due      time.Time // only those whose next try is not after it; zero: all
	Limit    int
}

// Spend is the cost of one call of a model.
type Spend struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Job     string    `json:"job"`    // part, whole or cluster
	Runner  string    `json:"runner"` // the one that asked the model
	Model   string    `json:"model"`
	Input   int       `json:"input"` // tokens, those of caches included
	Output  int       `json:"output"`
	USD     float64   `json:"usd"` // as the runner says; 0 if it does not
	// Estimated says that the runner did not report the tokens: it was killed, or has
	// not ended. Then the input is counted and the output is the most that was allowed.
	Estimated bool   `json:"estimated,omitempty"`
	Error     string `json:"error,omitempty"` // why there was no answer; empty if there was one
}

// SpendQuery selects the costs to sum up.
type SpendQuery struct {
	Since   time.Time
	Session string // only of it; all if empty
}

// SpendTotal sums up the costs of a job on a day, by UTC.
type SpendTotal struct {
	Day       string  `json:"day"` // 2006-01-02
	Job       string  `json:"job"`
	Calls     int     `json:"calls"`
	Failed    int     `json:"failed"`    // calls without an answer
	Estimated int     `json:"estimated"` // calls whose tokens the runner did not report
	Input     int     `json:"input"`
	Output    int     `json:"output"`
	USD       float64 `json:"usd"`
}

// Tokens is the number of tokens that limits are compared with.
func (t SpendTotal) Tokens() int { return t.Input + t.Output }
