package config

import "time"

// Embeddings says which endpoint finds memories by their embeddings as well. An empty
// URL means none.
type Embeddings struct {
	URL       string // of an OpenAI-compatible endpoint, without "/embeddings"
	Model     string
	Dimension int // of the model's vectors, 1 to 16384
	// Wait is how long a query waits for its vector and the memories near it; later, the
	// words alone decide.
	Wait time.Duration
	// Similarity is the least cosine that is near, -1 to 1; it depends on the model.
	Similarity float64
}

func defaultEmbeddings() Embeddings {
	return Embeddings{Dimension: 384, Wait: 100 * time.Millisecond, Similarity: 0.37}
}

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
	URL       string
	TimeLimit time.Duration // of one call; then the runner is killed
	Cron      string        // when the queue is looked through again; empty means never

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

// The environment variables of the agent that hold the keys of the two endpoints. A client
// that has signed in needs none, and an empty one is not sent.
const (
	EmbeddingsKey = "MEMORY_EMBEDDINGS_KEY"
	DistillKey    = "MEMORY_DISTILL_KEY"
)

// The runners.
const (
	DistillClaude   = "claude"   // the user's own Claude Code, headless
	DistillEndpoint = "endpoint" // an OpenAI-compatible endpoint
)

func defaultDistill() Distill {
	return Distill{
		Runner: DistillClaude, Command: "claude", Model: "haiku", TimeLimit: 2 * time.Minute,
		Cron: "*/20 * * * *", CatchUp: 20, CallTokens: 12_000, SessionTokens: 40_000, DayTokens: 200_000, InputPrice: 0.1, OutputPrice: 0.5,
	}
}

// DistillEnabled is the key of the switch, which nobody but a user may set.
const DistillEnabled = "distill.enabled"
