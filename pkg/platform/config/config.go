// Package config owns the settings: their keys, defaults, limits, and where a value
// came from. A value comes from the environment, else from config.json, else from the
// defaults. A setting that cannot be used is reported and its default used: a hook
// never fails because of a typing mistake. It does not act on any setting.
package config

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
)

// Config is every setting with its value.
type Config struct {
	// Disabled silences every hook. An unreadable value counts as true; then Unread has the
	// reason.
	Disabled bool
	Unread   string

	Store       Store
	Daemon      Daemon
	Hooks       Hooks
	Tokens      Tokens
	Maintenance Maintenance
	Backup      Backup
	Events      Events
	Distill     Distill
}

// Store configures the SurrealDB with the memories. An empty URL means a local
// engine that the daemon runs.
type Store struct {
	URL        string // ws, wss, http or https
	Namespace  string
	Database   string
	User       string
	Pass       string
	Token      string
	CAFile     string // PEM: who may have signed the server's certificate; empty means those that the system trusts
	EnginePath string // where the embedded engine is installed; empty means below the home
}

// Daemon holds the settings of memoryd.
type Daemon struct {
	IdleExit time.Duration // ends after that long without a request; 0 means never
	// EngineSleep is the time without work after which the database engine is stopped until it is needed; 0 means never. It is no setting.
	EngineSleep time.Duration
	EndedExit   time.Duration // IdleExit when no session is open; no setting
	BatchSize   int           // events in one transaction, 1 to 5000
}

// The faults that a captured event survives once its hook has ended.
const (
	DurabilityPower   = "power"   // the machine losing power: the hook waits until the event is on the disk
	DurabilityProcess = "process" // the end of any process
)

// Hooks holds the settings of each hook, and the common ones.
type Hooks struct {
	Durability string // DurabilityPower or DurabilityProcess
	// Deadline is the time after which a hook gives up silently; of a session's start, if a daemon is ready.
	Deadline time.Duration
	// Notices shows the user that memory does not work, and once a session how many memories it added.
	Notices            bool
	SessionStart       SessionStart
	UserPrompt         UserPrompt
	PreToolUse         Injecting
	PostToolUseFailure Injecting
	SubagentStart      Injecting
	IdleInterval       time.Duration // the least time between two maintenance runs that idle teammates or ending sessions start
}

// Injecting adds the budget of a hook that injects memories.
type Injecting struct {
	TokenBudget int // of everything injected, wrapper included
}

// UserPrompt adds the number of memories injected into a prompt.
type UserPrompt struct {
	TokenBudget int // of everything injected, wrapper included
	MaxLines    int // a memory is a line; no setting
}

// SessionStart adds the settings of the injecting hook.
type SessionStart struct {
	Deadline    time.Duration // with no daemon running yet
	TokenBudget int           // of everything injected, wrapper included
	SaidTokens  int           // of TokenBudget, those of the user's own words; 0 means as many as fit
}

// Tokens configures how budgets are measured.
type Tokens struct {
	Encoding string // o200k_base or cl100k_base
}

// Events configures how long what happened in sessions is kept.
type Events struct {
	KeepDays int // 0 to 3650; 0: for ever
}

// Backup configures which backups are made and how long the journal is kept.
type Backup struct {
	Directory   string // of the daily backups; empty means below the home
	Cron        string // when the daily backup is due; no setting
	Keep        int    // daily backups, 1 to 365
	JournalDays int    // how long ingested events and changes are kept, 0 to 3650 days; 0 means not at all
}

// Default returns every setting at its default.
func Default() Config {
	return Config{
		Store:  Store{Namespace: "claude_memory", Database: "memories"},
		Daemon: Daemon{IdleExit: 12 * time.Hour, EngineSleep: 10 * time.Minute, EndedExit: 30 * time.Minute, BatchSize: 100},
		Hooks: Hooks{
			Durability: DurabilityPower,
			Deadline:   150 * time.Millisecond, Notices: true,
			SessionStart:       SessionStart{Deadline: 1500 * time.Millisecond, TokenBudget: 2000, SaidTokens: 1000},
			UserPrompt:         UserPrompt{TokenBudget: 400, MaxLines: 3},
			PreToolUse:         Injecting{TokenBudget: 500},
			PostToolUseFailure: Injecting{TokenBudget: 300},
			SubagentStart:      Injecting{TokenBudget: 800},
			IdleInterval:       30 * time.Minute,
		},
		Tokens:      Tokens{Encoding: "o200k_base"},
		Maintenance: defaultMaintenance(),
		Distill:     defaultDistill(),
		Events:      Events{KeepDays: 365},
		Backup:      Backup{Cron: "37 3 * * *", Keep: 7, JournalDays: 30},
	}
}

// Distill configures whether a model distils sessions, which one, and the limits of its cost. It is off unless
// Enabled.
type Distill struct {
	Enabled bool
	// Decided: somebody has switched it on or off, in the settings file or in
	// the environment.
	Decided bool
	Runner  string // DistillClaude or DistillEndpoint
	Command string // the client's program, for DistillClaude
	Model   string // as the runner calls it
	// URL is the OpenAI-compatible endpoint without "/chat/completions". For
	// DistillClaude it is the address of the API, or empty for the client's own.
	URL       string
	TimeLimit time.Duration // of one call; then the runner is killed
	Every     time.Duration // the queue is looked through again; 0 means never

	// CatchUp is the number of the newest sessions that are searched for finished ones without an
	// entry in the queue: closed by maintenance, or imported.
	CatchUp int

	// Tokens of input and output together, as the runner reports them.
	CallTokens    int // of one call, 6,000 to 200,000; no setting
	SessionTokens int
	DayTokens     int // a day by UTC

	// The list prices of the model, in USD for a million tokens, for estimates before a
	// call.
	InputPrice, OutputPrice float64
}

// Receiver names the receiver of a session's words, for people.
func (d Distill) Receiver() string {
	if d.Runner == DistillEndpoint {
		return d.URL + " (model " + d.Model + ")"
	}
	receiver := "your own Claude Code, headless (" + d.Command + ", model " + d.Model + ")"
	if d.URL != "" {
		receiver += ", which asks " + d.URL
	}
	return receiver
}

// The environment variables of the daemon that hold the keys of the two endpoints. A client
// that has signed in needs none, and an empty one is not sent.
const (
	DistillKey = "MEMORY_DISTILL_KEY"
)

// EngineVariable is the variable of store.engine_path. What starts a daemon hands it on only where it names a folder that the
// user has made: see package consent.
const EngineVariable = "MEMORY_ENGINE_DIR"

// The runners.
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

// DistillEnabled is the key of the switch, which nobody but a user may set.
const DistillEnabled = "distill.enabled"

// Maintenance is when the daemon's jobs run, and by which rules.
type Maintenance struct {
	// Enabled has jobs run by themselves; otherwise each cron expression is empty.
	Enabled bool
	// Crons are the cron expressions by job; an empty one switches its job off.
	Crons map[string]string

	CloseAfter time.Duration // a session silent for that long is closed as abandoned
	Jitter     time.Duration // a scheduled job starts up to that much later
	Quiet      time.Duration // maintenance keeps off that long after the daemon's start or a session's end
	Patience   time.Duration // maintenance that is due waits that long for a burst of events to be over
	Lease      time.Duration // a job that stalls for that long may be taken over by another daemon

	Rules rules.Rules
}

func defaultMaintenance() Maintenance {
	crons := map[string]string{}
	for _, job := range schedule.Jobs() {
		crons[job.Name] = job.Cron
	}
	return Maintenance{
		Enabled: true, Crons: crons, CloseAfter: 24 * time.Hour, Jitter: 2 * time.Minute, Quiet: time.Minute,
		Patience: 15 * time.Minute, Lease: time.Minute,
		Rules: rules.Default(),
	}
}

const (
	year       = 365 * 24 * time.Hour
	mostTokens = 1_000_000_000_000
)
