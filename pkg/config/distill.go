package config

import (
	"time"
)

// Distill says whether a model distils sessions, which one, and at which cost. It is off
// unless Enabled.
type Distill struct {
	Enabled bool
	// Decided says that somebody has switched it on or off, in the settings file or in
	// the environment.
	Decided bool
	Runner  string // DistillClaude or DistillEndpoint
	Command string // the client's program, for DistillClaude
	Model   string // as the runner calls it
	// URL is the OpenAI-compatible endpoint without "/chat/completions". For
	// DistillClaude it is the address of the API, or empty for the client's own.
	URL string
	// KeyVariable names the environment variable of the agent that holds the key; a
	// client that has signed in needs none.
	KeyVariable string
	TimeLimit   time.Duration // of one call; then the runner is killed
	Cron        string        // when the queue is looked through again; empty means never

	// CatchUp is how many of the newest sessions are looked through for those that are
	// over and were never queued: closed by maintenance, or imported.
	CatchUp int

	// Tokens of input and output together, as the runner reports them.
	CallTokens    int
	SessionTokens int
	DayTokens     int // a day by UTC

	// The list prices of the model, in USD for a million tokens, for estimates before a
	// call.
	InputPrice, OutputPrice float64
}

// The runners.
const (
	DistillClaude   = "claude"   // the user's own Claude Code, headless
	DistillEndpoint = "endpoint" // an OpenAI-compatible endpoint
)

func defaultDistill() Distill {
	return Distill{
		Runner: DistillClaude, Command: "claude", Model: "haiku", KeyVariable: "MEMORY_DISTILL_KEY", TimeLimit: 2 * time.Minute,
		Cron: "*/20 * * * *", CatchUp: 20, CallTokens: 12_000, SessionTokens: 40_000, DayTokens: 200_000, InputPrice: 0.1, OutputPrice: 0.5,
	}
}

// DistillEnabled is the key of the switch, which nobody but a user may set.
const DistillEnabled = "distill.enabled"
