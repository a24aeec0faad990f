// Package distill lets a model write texts that rules cannot: the summary of a session and the facts worth keeping.
// It builds the input within an exact token budget, and checks the answer: a fact that does not fit the schema, or
// quotes words that are not in the input, is dropped with a reason. It is pure. Package models and the daemon start
// processes, send requests and store results.
package distill

import (
	"context"
	"encoding/json"
	"errors"
)

// The maximum number of facts of a session, and of tokens in an answer, including the model's thinking.
const (
	MostFacts  = 8
	MostOutput = 3_000
)

// Overhead is the maximum number of tokens that a runner adds to a prompt: its own system prompt, and the schema as
// a tool. Claude Code 2.1.329 adds 2,000 bytes.
const Overhead = 1_000

// Question is one call of a model, without tools.
type Question struct {
	System    string          `json:"system"`
	Prompt    string          `json:"prompt"`
	Schema    json.RawMessage `json:"schema"` // JSON schema of the answer
	MaxOutput int             `json:"max_output"`
}

// Reply is a model's answer and its cost.
type Reply struct {
	Text  []byte // answer as JSON, not checked yet
	Usage Usage
}

// Usage is the cost of a call as the runner reports it.
type Usage struct {
	Reported bool // false if the runner did not report it or was killed
	Input    int  // tokens, including cached ones
	Output   int
	USD      float64 // 0 if not reported
}

// maxTokens is more than any model accepts or returns in one call.
const maxTokens = 1 << 30

// NewUsage returns the sums of a runner's token counts. If a count is negative or impossibly large, it returns an
// unreported usage, because such a sum would give tokens back to the limits.
func NewUsage(input, output []int, usd float64) Usage {
	isPossible := func(count int) bool { return count >= 0 && count <= maxTokens }
	u := Usage{Reported: usd >= 0, USD: usd}
	for _, count := range input {
		u.Input += count
		u.Reported = u.Reported && isPossible(count)
	}
	for _, count := range output {
		u.Output += count
		u.Reported = u.Reported && isPossible(count)
	}
	if !u.Reported {
		return Usage{}
	}
	return u
}

// Total returns the number of tokens that counts towards the limits.
func (u Usage) Total() int { return u.Input + u.Output }

// Model asks a model. Its error explains why there is no answer, and wraps ErrRunner if no question can be asked. The
// reply's usage is valid even after an error.
type Model interface {
	Ask(ctx context.Context, q Question) (Reply, error)
}

// The errors of a call.
var (
	// ErrRunner is wrapped if the runner does not work, for example because a client is not installed or not signed
	// in. Other sessions would fail too.
	ErrRunner = errors.New("the runner does not work")
	// ErrAnswer is wrapped if the model answered, but the answer cannot be used.
	ErrAnswer = errors.New("the answer cannot be used")
)
