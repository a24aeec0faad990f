// Package distill lets a model write texts that rules cannot: the summary of a session,
// and the facts that are worth keeping of it. It makes the input, within a budget of
// tokens that is counted exactly, and checks the answer: a fact that does not fit the
// schema, or quotes words that are not in the input, is dropped with a reason. It is
// pure. It refuses to start a process, to send a request, and to store anything: package
// runner and the daemon do.
package distill

import (
	"context"
	"encoding/json"
	"errors"
)

// The most facts of one session, and the most tokens that a model may answer with, its
// thinking included.
const (
	MostFacts  = 8
	MostOutput = 3_000
)

// Overhead is the most tokens that a runner adds to a prompt: its own system prompt and
// the schema as a tool. The client 2.1.329 adds 2,000 bytes.
const Overhead = 1_000

// Question is one call of a model, without tools.
type Question struct {
	System    string          `json:"system"`
	Prompt    string          `json:"prompt"`
	Schema    json.RawMessage `json:"schema"` // of the answer
	MaxOutput int             `json:"max_output"`
}

// Reply is a model's answer and its cost.
type Reply struct {
	Text  []byte // the answer as JSON, not checked yet
	Usage Usage
}

// Usage is the cost of a call, by the runner's own report.
type Usage struct {
	Reported bool // false: the runner did not report it, or was killed
	Input    int  // tokens, those of caches included
	Output   int
	USD      float64 // 0 if the runner does not report it
}

// mostTokens is more than any model takes or gives in one call.
const mostTokens = 1 << 30

// NewUsage sums up the tokens that a runner reports. Counts that cannot be, because they
// are below zero or beyond any model, make it a usage that was not reported: a sum of
// those would give tokens back to the limits.
func NewUsage(input, output []int, usd float64) Usage {
	u := Usage{Reported: true, USD: usd}
	for _, sum := range []struct {
		of   []int
		into *int
	}{{input, &u.Input}, {output, &u.Output}} {
		for _, count := range sum.of {
			*sum.into += count
			if count < 0 || count > mostTokens || *sum.into > mostTokens {
				return Usage{}
			}
		}
	}
	if !(usd >= 0) {
		return Usage{}
	}
	return u
}

// Total is the number of tokens that limits are compared with.
func (u Usage) Total() int { return u.Input + u.Output }

// Model asks a model. Its error is the reason why there is no answer: it wraps ErrRunner if no question can
// be asked at all. The reply's usage counts after an error, too.
type Model interface {
	Ask(ctx context.Context, q Question) (Reply, error)
}

// The errors of a call.
var (
	// ErrRunner: the runner itself does not work, such as a client that is not
	// installed or not signed in: other sessions would fail alike.
	ErrRunner = errors.New("the runner does not work")
	// ErrAnswer: the model answered, and nothing can be made of it.
	ErrAnswer = errors.New("the answer cannot be used")
)
