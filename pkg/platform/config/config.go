// Package config owns the settings: their keys, defaults and limits, and the origin of each value. A value comes from the
// environment, else from config.json, else from the defaults. An unusable value is reported. Except for an address, the default
// or a safe value replaces it, because a typing mistake must not make a hook fail. The package does not act on any setting.
package config

import "time"

type Config struct {
	// Disabled switches every hook off. An unreadable value counts as true.
	Disabled bool
	Unread   string // the reason why Disabled, or the whole file, cannot be read

	Store       Store
	Daemon      Daemon
	Hooks       Hooks
	Maintenance Maintenance
	Backup      Backup
	Events      Events
	Capture     Capture
	Distill     Distill
}

// Store configures the SurrealDB server with the memories. With an empty URL the daemon runs a local engine.
type Store struct {
	URL        string // ws, wss, http or https
	Namespace  string
	Database   string
	User       string
	Pass       string
	CAFile     string // CA certificates (PEM) for the server's certificate; empty for the system's
	EnginePath string // folder of the embedded engine; empty for a folder below the home
}

type Daemon struct {
	// IdleExit is the time without a request after which the daemon exits; 0 means never. The next hook starts it again. Not a setting.
	IdleExit time.Duration
	// EngineSleep is the time without work after which the engine is stopped until it is needed; 0 means never. Not a setting.
	EngineSleep time.Duration
	EndedExit   time.Duration // IdleExit while no session is open; not a setting
	BatchSize   int           // events per transaction, 1 to 5000
}

type Hooks struct {
	// Deadline is the time after which a hook gives up silently. It applies to a session's start only if a daemon is ready.
	Deadline time.Duration
	// Notices is set if the user is told when memory does not work and, once per session, how many memories were kept from the session.
	Notices              bool
	SessionStartDeadline time.Duration // applies while no daemon runs yet
	// Maximum tokens of everything that a hook injects, including the wrapper.
	SessionStartTokens, PromptTokens, PreToolUseTokens, FailureTokens, SubagentTokens int

	PromptLines  int           // memories injected for a prompt; not a setting
	IdleInterval time.Duration // minimum time between two maintenance runs started by idle teammates or ending sessions
}

// Events configures how long events of sessions are kept.
type Events struct {
	KeepDays int // 0 to 3650; 0 means for ever
}

// Values of Capture.Keep.
const (
	KeepEverything = "everything" // everything that lasts becomes a memory
	KeepAsked      = "asked"      // explicit requests alone become memories
)

const CaptureKeep = "capture.keep"

type Capture struct{ Keep string }

// Backup configures the daily backups and the journal.
type Backup struct {
	Directory   string // folder of the daily backups; empty for a folder below the home
	Keep        int    // number of daily backups, 1 to 365
	JournalDays int    // age of the oldest journaled event, 0 to 3650 days; 0 means no journal
}

func Default() Config {
	return Config{
		Store:  Store{Namespace: "claude_memory", Database: "memories"},
		Daemon: Daemon{IdleExit: 12 * time.Hour, EngineSleep: 10 * time.Minute, EndedExit: 30 * time.Minute, BatchSize: 100},
		Hooks: Hooks{
			Deadline: 150 * time.Millisecond, Notices: true,
			SessionStartDeadline: 1500 * time.Millisecond,
			SessionStartTokens:   2000, PromptTokens: 400, PreToolUseTokens: 500, FailureTokens: 300, SubagentTokens: 800,
			PromptLines: 3, IdleInterval: 30 * time.Minute,
		},
		Maintenance: defaultMaintenance(),
		Distill:     defaultDistill(),
		Events:      Events{KeepDays: 365},
		Capture:     Capture{Keep: KeepEverything},
		Backup:      Backup{Keep: 7, JournalDays: 30},
	}
}

// Distill configures whether and by which model sessions are distilled, and the limits of its cost.
type Distill struct {
	Enabled bool
	// Decided is set if the settings file or the environment has a value for Enabled.
	Decided bool
	Runner  string // DistillClaude or DistillEndpoint
	Command string // the client's program, for DistillClaude
	Model   string // model name for the runner
	// URL is the OpenAI-compatible endpoint without "/chat/completions". For DistillClaude it is the address of the
	// API, or empty for the client's default.
	URL       string
	TimeLimit time.Duration // limit of one call, after which the runner is killed
	Every     time.Duration // time between two searches of the queue; 0 means never

	// CatchUp is how many of the newest sessions are checked for an entry in the queue. A session that was imported, or
	// closed by maintenance, has none.
	CatchUp int

	// Limits in tokens of input and output together, as the runner reports them.
	CallTokens    int // per call, 6,000 to 200,000; not a setting
	SessionTokens int
	DayTokens     int // per day in UTC

	// Prices of the model in USD per million tokens, for estimates before a call.
	InputPrice, OutputPrice float64
}

// Receiver returns, for people, who receives the text of a session.
func (d Distill) Receiver() string {
	if d.Runner == DistillEndpoint {
		return d.URL + " (model " + d.Model + ")"
	}
	receiver := "your own Claude Code (" + d.Command + ", model " + d.Model + ")"
	if d.URL != "" {
		receiver += ", which asks " + d.URL
	}
	return receiver
}

// DistillKey is the daemon's environment variable with the key of the model's API. A client that has signed in needs no key.
const DistillKey = "MEMORY_DISTILL_KEY"

// EngineVariable is the environment variable for store.engine_path. It is passed on to a daemon only if it names a
// folder that the user has made: see package consent.
const EngineVariable = "MEMORY_ENGINE_DIR"

const (
	DistillClaude   = "claude"   // the user's own Claude Code, headless
	DistillEndpoint = "endpoint" // an OpenAI-compatible endpoint
)

func defaultDistill() Distill {
	return Distill{
		Runner: DistillClaude, Command: "claude", Model: "haiku", TimeLimit: 2 * time.Minute,
		Every: 20 * time.Minute, CatchUp: 20, CallTokens: 12_000, SessionTokens: 40_000, DayTokens: 200_000,
		InputPrice: 0.1, OutputPrice: 0.5,
	}
}

// DistillEnabled is the key of the switch for distillation, which only a user may set.
const DistillEnabled = "distill.enabled"

// Maintenance configures when the daemon's jobs run.
type Maintenance struct {
	Enabled bool // whether jobs run by themselves

	CloseAfter time.Duration // silence after which a session is closed as abandoned
	Quiet      time.Duration // time without maintenance after the daemon's start or a session's end
	Lease      time.Duration // time after which another daemon may take over a stalled job
}

func defaultMaintenance() Maintenance {
	return Maintenance{
		Enabled: true, CloseAfter: 24 * time.Hour, Quiet: time.Minute,
		Lease: time.Minute,
	}
}

const (
	mostBudget = 10_000 // tokens; more would not fit into the 10,000 characters that the client accepts
	mostTokens = 1_000_000_000_000
)
