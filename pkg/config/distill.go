package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
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

// AnswerDistill takes over the answer that a user gave to the client's own question,
// unless it was taken over before: answered is the file that keeps the one taken over
// last. So the last decision counts, wherever it was made. Errors: the settings or that
// file cannot be read or written.
func AnswerDistill(settings, answered string, on bool) error {
	answer := strconv.FormatBool(on)
	last, err := os.ReadFile(answered)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read which answer was taken over last: %w", err)
	}
	if string(last) == answer {
		return nil
	}
	if err := Set(settings, DistillEnabled, answer); err != nil {
		return err
	}
	if err := atomicfile.Write(answered, 0o600, []byte(answer)); err != nil {
		return fmt.Errorf("note which answer was taken over: %w", err)
	}
	return nil
}

// distillSettings is the part of the register about distillation.
var distillSettings = []setting{
	{DistillEnabled, "MEMORY_DISTILL_ENABLED", flag(func(c *Config) *bool { return &c.Distill.Enabled })},
	{"distill.runner", "MEMORY_DISTILL_RUNNER", oneOf{[]string{DistillClaude, DistillEndpoint}, func(c *Config) *string { return &c.Distill.Runner }}},
	{"distill.command", "MEMORY_DISTILL_COMMAND", needed(func(c *Config) *string { return &c.Distill.Command })},
	{"distill.model", "MEMORY_DISTILL_MODEL", needed(func(c *Config) *string { return &c.Distill.Model })},
	{"distill.url", "MEMORY_DISTILL_URL", text(func(c *Config) *string { return &c.Distill.URL })},
	{"distill.key_variable", "MEMORY_DISTILL_KEY_VARIABLE", text(func(c *Config) *string { return &c.Distill.KeyVariable })},
	{"distill.time_limit", "MEMORY_DISTILL_TIME_LIMIT", span{time.Second, 10 * time.Minute, func(c *Config) *time.Duration { return &c.Distill.TimeLimit }}},
	{"distill.cron", "MEMORY_DISTILL_CRON", text(func(c *Config) *string { return &c.Distill.Cron })},
	{"distill.catch_up", "MEMORY_DISTILL_CATCH_UP", integer{0, 1000, func(c *Config) *int { return &c.Distill.CatchUp }}},
	{"distill.call_tokens", "MEMORY_DISTILL_CALL_TOKENS", integer{6_000, 200_000, func(c *Config) *int { return &c.Distill.CallTokens }}},
	{"distill.session_tokens", "MEMORY_DISTILL_SESSION_TOKENS", integer{0, mostTokens, func(c *Config) *int { return &c.Distill.SessionTokens }}},
	{"distill.day_tokens", "MEMORY_DISTILL_DAY_TOKENS", integer{0, mostTokens, func(c *Config) *int { return &c.Distill.DayTokens }}},
	{"distill.input_price", "MEMORY_DISTILL_INPUT_PRICE", number{0, 1000, func(c *Config) *float64 { return &c.Distill.InputPrice }}},
	{"distill.output_price", "MEMORY_DISTILL_OUTPUT_PRICE", number{0, 1000, func(c *Config) *float64 { return &c.Distill.OutputPrice }}},
}
