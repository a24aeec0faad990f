package config

import (
	"strings"
	"time"
)

// The URL schemes for an endpoint, and for a store.
var (
	webSchemes   = []string{"http", "https"}
	storeSchemes = []string{"ws", "wss", "http", "https"}
)

type setting struct {
	key    string
	env    string
	reader Reader
	text   string // a line about it, for lists; the row of docs/configuration.md begins with the same words
	field
}

// Reader names who reads a setting, and so when a change takes effect.
type Reader string

const (
	ByHook   Reader = "hook"   // each hook at its start, and the daemon before each answer and batch of events
	ByDaemon Reader = "daemon" // the daemon at its start
	ByCall   Reader = "call"   // the daemon before each call of a model
)

const (
	// Disabled is the key of the switch that turns every hook off.
	Disabled = "disabled"
	// password is the key of the only secret.
	password = "store.pass"
)

// trimmed removes the space around a value, except for passwords.
func (s setting) trimmed(value string) string {
	if s.key == password {
		return value
	}
	return strings.TrimSpace(value)
}

func find(key string) (setting, bool) {
	for _, s := range register {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// register has all settings in the order of the documentation. No row calls a function, so that the compiler can lay out
// the table: building it at start took each hook 0.08 ms and 20 KB (GODEBUG=inittrace=1).
var register = []setting{
	{Disabled, "MEMORY_DISABLED", ByHook, "switches the memory off in all projects: nothing is captured or recalled", guard{func(c *Config) *bool { return &c.Disabled }, true}},
	{"store.url", "SURREAL_URL", ByDaemon, "URL of a remote SurrealDB (ws, wss, http, https); empty: a local engine", address{storeSchemes, func(c *Config) *string { return &c.Store.URL }}},
	{"store.namespace", "SURREAL_NS", ByDaemon, "namespace in SurrealDB", word{name, func(c *Config) *string { return &c.Store.Namespace }, false}},
	{"store.database", "SURREAL_DB", ByDaemon, "database in the namespace", word{name, func(c *Config) *string { return &c.Store.Database }, false}},
	{"store.user", "SURREAL_USER", ByDaemon, "user to sign in as", word{text, func(c *Config) *string { return &c.Store.User }, false}},
	{password, "SURREAL_PASS", ByDaemon, "password of the user; better in the environment than in the file", word{text, func(c *Config) *string { return &c.Store.Pass }, false}},
	{"store.ca_file", "SURREAL_CA_FILE", ByDaemon, "CA certificates (PEM file) that the server's certificate is checked against, instead of the system's", word{location, func(c *Config) *string { return &c.Store.CAFile }, true}},
	{"store.engine_path", EngineVariable, ByDaemon, "folder of the embedded engine", word{location, func(c *Config) *string { return &c.Store.EnginePath }, true}},
	{"daemon.batch_size", "MEMORY_DAEMON_BATCH_SIZE", ByDaemon, "events in one transaction, 1 to 5000", integer{1, 5000, func(c *Config) *int { return &c.Daemon.BatchSize }}},
	{CaptureKeep, "MEMORY_CAPTURE_KEEP", ByHook, "what becomes a memory: rules, decisions, fixes (everything), or only what you ask to keep (asked)", word{
		func(value string) error { return oneOf(value, KeepEverything, KeepAsked) },
		func(c *Config) *string { return &c.Capture.Keep }, false,
	}},
	{"hooks.deadline", "MEMORY_HOOKS_DEADLINE", ByHook, "time limit of a hook, and of a session's start while a daemon is ready", span{time.Millisecond, 30 * time.Second, func(c *Config) *time.Duration { return &c.Hooks.Deadline }}},
	{"hooks.session_start.deadline", "MEMORY_HOOKS_SESSION_START_DEADLINE", ByHook, "time limit of a session's start while no daemon runs yet", span{time.Millisecond, 30 * time.Second, func(c *Config) *time.Duration { return &c.Hooks.SessionStartDeadline }}},
	{"hooks.session_start.token_budget", "MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET", ByHook, "maximum tokens of a session's start, 0 to 10000", integer{0, mostBudget, func(c *Config) *int { return &c.Hooks.SessionStartTokens }}},
	{"hooks.notices", "MEMORY_HOOKS_NOTICES", ByHook, "tell you when memory does not work, and once a session how many memories were kept", flag(func(c *Config) *bool { return &c.Hooks.Notices })},
	{"hooks.user_prompt.token_budget", "MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET", ByHook, "maximum tokens injected for a prompt, 0 to 10000; 0: none", integer{0, mostBudget, func(c *Config) *int { return &c.Hooks.PromptTokens }}},
	{"hooks.pre_tool_use.token_budget", "MEMORY_HOOKS_PRE_TOOL_USE_TOKEN_BUDGET", ByHook, "maximum tokens injected before a tool runs", integer{0, mostBudget, func(c *Config) *int { return &c.Hooks.PreToolUseTokens }}},
	{"hooks.teammate_idle.interval", "MEMORY_HOOKS_TEAMMATE_IDLE_INTERVAL", ByDaemon, "minimum time between maintenance runs that ended sessions and idle agents of a team start", span{time.Second, 7 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Hooks.IdleInterval }}},
	{"events.keep_days", "MEMORY_EVENTS_KEEP_DAYS", ByDaemon, "days for which edits, commands, last words and other events are kept, 0 to 3650; 0: for ever", integer{0, 3650, func(c *Config) *int { return &c.Events.KeepDays }}},
	{"backup.directory", "MEMORY_BACKUP_DIRECTORY", ByDaemon, "folder of the daily backups", word{location, func(c *Config) *string { return &c.Backup.Directory }, true}},
	{"backup.keep", "MEMORY_BACKUP_KEEP", ByDaemon, "number of daily backups to keep, 1 to 365", integer{1, 365, func(c *Config) *int { return &c.Backup.Keep }}},
	{"backup.journal_days", "MEMORY_BACKUP_JOURNAL_DAYS", ByDaemon, "days for which the journal of events and changes is kept, 0 to 3650; 0: no journal", integer{0, 3650, func(c *Config) *int { return &c.Backup.JournalDays }}},
	{"maintenance.enabled", "MEMORY_MAINTENANCE_ENABLED", ByDaemon, "run maintenance jobs automatically", guard{func(c *Config) *bool { return &c.Maintenance.Enabled }, false}},
	{DistillEnabled, "MEMORY_DISTILL_ENABLED", ByCall, "let a model write summaries and facts of ended sessions", guard{func(c *Config) *bool { return &c.Distill.Enabled }, false}},
	{"distill.runner", "MEMORY_DISTILL_RUNNER", ByCall, "how the model is reached: claude (your own Claude Code) or endpoint (an OpenAI-compatible one)", word{
		func(value string) error { return oneOf(value, DistillClaude, DistillEndpoint) },
		func(c *Config) *string { return &c.Distill.Runner }, false,
	}},
	{"distill.command", "MEMORY_DISTILL_COMMAND", ByCall, "Claude Code's program: a name on the PATH, or a path", word{program, func(c *Config) *string { return &c.Distill.Command }, true}},
	{"distill.model", "MEMORY_DISTILL_MODEL", ByCall, "model name for the runner", word{needed, func(c *Config) *string { return &c.Distill.Model }, false}},
	{"distill.url", "MEMORY_DISTILL_URL", ByCall, "URL of the endpoint, or of the API for Claude Code. Required for the runner endpoint", address{webSchemes, func(c *Config) *string { return &c.Distill.URL }}},
	{"distill.time_limit", "MEMORY_DISTILL_TIME_LIMIT", ByCall, "time limit of one call; then the runner is killed", span{time.Second, 10 * time.Minute, func(c *Config) *time.Duration { return &c.Distill.TimeLimit }}},
	{"distill.every", "MEMORY_DISTILL_EVERY", ByDaemon, "time between two searches for waiting sessions; 0: only when a session ends", span{0, 24 * time.Hour, func(c *Config) *time.Duration { return &c.Distill.Every }}},
	{"distill.session_tokens", "MEMORY_DISTILL_SESSION_TOKENS", ByCall, "maximum tokens per session", integer{0, mostTokens, func(c *Config) *int { return &c.Distill.SessionTokens }}},
	{"distill.day_tokens", "MEMORY_DISTILL_DAY_TOKENS", ByCall, "maximum tokens per day in UTC; then distillation stops until the next day", integer{0, mostTokens, func(c *Config) *int { return &c.Distill.DayTokens }}},
	{"distill.input_price", "MEMORY_DISTILL_INPUT_PRICE", ByCall, "USD per million input tokens, for estimates", number{0, 1000, func(c *Config) *float64 { return &c.Distill.InputPrice }}},
	{"distill.output_price", "MEMORY_DISTILL_OUTPUT_PRICE", ByCall, "USD per million output tokens, for estimates", number{0, 1000, func(c *Config) *float64 { return &c.Distill.OutputPrice }}},
}
