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

var distillSettings = []setting{
	{DistillEnabled, "MEMORY_DISTILL_ENABLED", guard{func(c *Config) *bool { return &c.Distill.Enabled }, false}},
	{"distill.runner", "MEMORY_DISTILL_RUNNER", oneOf{
		[]string{DistillClaude, DistillEndpoint},
		func(c *Config) *string { return &c.Distill.Runner },
	}},
	{"distill.command", "MEMORY_DISTILL_COMMAND", program(func(c *Config) *string { return &c.Distill.Command })},
	{"distill.model", "MEMORY_DISTILL_MODEL", needed(func(c *Config) *string { return &c.Distill.Model })},
	{"distill.url", "MEMORY_DISTILL_URL", address{webSchemes, func(c *Config) *string { return &c.Distill.URL }}},
	{
		"distill.time_limit", "MEMORY_DISTILL_TIME_LIMIT",
		span{time.Second, 10 * time.Minute, func(c *Config) *time.Duration { return &c.Distill.TimeLimit }},
	},
	{"distill.every", "MEMORY_DISTILL_EVERY", span{0, 24 * time.Hour, func(c *Config) *time.Duration { return &c.Distill.Every }}},
	{
		"distill.session_tokens", "MEMORY_DISTILL_SESSION_TOKENS",
		integer{0, mostTokens, func(c *Config) *int { return &c.Distill.SessionTokens }},
	},
	{
		"distill.day_tokens", "MEMORY_DISTILL_DAY_TOKENS",
		integer{0, mostTokens, func(c *Config) *int { return &c.Distill.DayTokens }},
	},
	{
		"distill.input_price", "MEMORY_DISTILL_INPUT_PRICE",
		number{0, 1000, func(c *Config) *float64 { return &c.Distill.InputPrice }},
	},
	{
		"distill.output_price", "MEMORY_DISTILL_OUTPUT_PRICE",
		number{0, 1000, func(c *Config) *float64 { return &c.Distill.OutputPrice }},
	},
}

var maintenanceSettings = []setting{
	{"maintenance.enabled", "MEMORY_MAINTENANCE_ENABLED", guard{func(c *Config) *bool { return &c.Maintenance.Enabled }, false}},
}

// setting is a row of the register.
type setting struct {
	key string
	env string
	field
}

// Disabled is the key of the switch that silences every hook.
const Disabled = "disabled"

// trimmed removes the space around a value, except for passwords.
func (s setting) trimmed(value string) string {
	if isSecret(s.key) {
		return value
	}
	return strings.TrimSpace(value)
}

func isSecret(key string) bool { return key == "store.pass" || key == "store.token" }

func find(key string) (setting, bool) {
	for s := range register {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// register yields all settings in the order of the documentation.
func register(yield func(setting) bool) {
	for _, part := range [][]setting{settings, maintenanceSettings, distillSettings} {
		for _, s := range part {
			if !yield(s) {
				return
			}
		}
	}
}

// settings is the first part of the register. No row calls a function, so that the compiler can lay out the table:
// building it at start took each hook 0.08 ms and 20 KB (GODEBUG=inittrace=1).
var settings = []setting{
	{Disabled, "MEMORY_DISABLED", guard{func(c *Config) *bool { return &c.Disabled }, true}},
	{"store.url", "SURREAL_URL", address{storeSchemes, func(c *Config) *string { return &c.Store.URL }}},
	{"store.namespace", "SURREAL_NS", name(func(c *Config) *string { return &c.Store.Namespace })},
	{"store.database", "SURREAL_DB", name(func(c *Config) *string { return &c.Store.Database })},
	{"store.user", "SURREAL_USER", text(func(c *Config) *string { return &c.Store.User })},
	{"store.pass", "SURREAL_PASS", text(func(c *Config) *string { return &c.Store.Pass })},
	{"store.token", "SURREAL_TOKEN", text(func(c *Config) *string { return &c.Store.Token })},
	{"store.ca_file", "SURREAL_CA_FILE", location(func(c *Config) *string { return &c.Store.CAFile })},
	{"store.engine_path", EngineVariable, location(func(c *Config) *string { return &c.Store.EnginePath })},
	{"daemon.idle_exit", "MEMORY_DAEMON_IDLE_EXIT", span{
		0, 365 * 24 * time.Hour,
		func(c *Config) *time.Duration { return &c.Daemon.IdleExit },
	}},
	{"daemon.batch_size", "MEMORY_DAEMON_BATCH_SIZE", integer{1, 5000, func(c *Config) *int { return &c.Daemon.BatchSize }}},
	{"hooks.durability", "MEMORY_HOOKS_DURABILITY", oneOf{
		[]string{DurabilityPower, DurabilityProcess},
		func(c *Config) *string { return &c.Hooks.Durability },
	}},
	{
		"hooks.deadline", "MEMORY_HOOKS_DEADLINE",
		deadline(func(c *Config) *time.Duration { return &c.Hooks.Deadline }),
	},
	{
		"hooks.session_start.deadline", "MEMORY_HOOKS_SESSION_START_DEADLINE",
		deadline(func(c *Config) *time.Duration { return &c.Hooks.SessionStart.Deadline }),
	},
	{
		"hooks.session_start.token_budget", "MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET",
		budget(func(c *Config) *int { return &c.Hooks.SessionStart.TokenBudget }),
	},
	{
		"hooks.session_start.said_tokens", "MEMORY_HOOKS_SESSION_START_SAID_TOKENS",
		budget(func(c *Config) *int { return &c.Hooks.SessionStart.SaidTokens }),
	},
	{
		"hooks.notices", "MEMORY_HOOKS_NOTICES",
		flag(func(c *Config) *bool { return &c.Hooks.Notices }),
	},
	{
		"hooks.user_prompt.token_budget", "MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET",
		budget(func(c *Config) *int { return &c.Hooks.UserPrompt.TokenBudget }),
	},
	{
		"hooks.pre_tool_use.token_budget", "MEMORY_HOOKS_PRE_TOOL_USE_TOKEN_BUDGET",
		budget(func(c *Config) *int { return &c.Hooks.PreToolUse.TokenBudget }),
	},
	{
		"hooks.teammate_idle.interval", "MEMORY_HOOKS_TEAMMATE_IDLE_INTERVAL",
		span{time.Second, 7 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Hooks.IdleInterval }},
	},
	{"tokens.encoding", "MEMORY_TOKENS_ENCODING", oneOf{
		[]string{"o200k_base", "cl100k_base"},
		func(c *Config) *string { return &c.Tokens.Encoding },
	}},
	{"events.keep_days", "MEMORY_EVENTS_KEEP_DAYS", integer{0, 3650, func(c *Config) *int { return &c.Events.KeepDays }}},
	{"backup.directory", "MEMORY_BACKUP_DIRECTORY", location(func(c *Config) *string { return &c.Backup.Directory })},
	{"backup.keep", "MEMORY_BACKUP_KEEP", integer{1, 365, func(c *Config) *int { return &c.Backup.Keep }}},
	{"backup.journal_days", "MEMORY_BACKUP_JOURNAL_DAYS", integer{0, 3650, func(c *Config) *int { return &c.Backup.JournalDays }}},
}
