// Package config owns the settings: their keys, defaults, limits, and where a value
// came from. A value comes from the environment, else from config.json, else from the
// defaults. A setting that cannot be used is reported and its default used: a hook
// never fails because of a typing mistake. It does not act on any setting.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Config is every setting with its value.
type Config struct {
	// Disabled silences every hook.
	Disabled bool

	Store       Store
	Agent       Agent
	Hooks       Hooks
	Tokens      Tokens
	Maintenance Maintenance
	Backup      Backup
	Embeddings  Embeddings
	Dashboard   Dashboard
	Distill     Distill
	Share       Share
}

// Share holds the settings of sharing through a repository.
type Share struct {
	Author string // of shared facts, as NAME <ADDRESS>; empty: git's user
}

// Dashboard holds the settings of the local web pages.
type Dashboard struct {
	Enabled bool // memory open serves them; else nothing listens
}

// Store says which SurrealDB keeps the memories. An empty URL means a local
// engine that the agent runs.
type Store struct {
	URL        string // ws, wss, http or https
	Namespace  string
	Database   string
	User       string
	Pass       string
	Token      string
	DataPath   string // where a local engine keeps its files; empty means below the home
	EnginePath string // where the embedded engine is installed; empty means below the home
}

// Agent holds the settings of memoryd.
type Agent struct {
	IdleExit time.Duration // ends after that long without a request; 0 means never
	// EngineSleep is after how long without work the database engine ends until it is needed; 0 means never.
	EngineSleep time.Duration
	EndedExit   time.Duration // the same when no session is open
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
	// CaptureDeadline is the time after which a hook gives up in silence that only captures.
	CaptureDeadline    time.Duration
	SetupDeadline      time.Duration // of the hook that installs and migrates
	SessionStart       SessionStart
	UserPrompt         UserPrompt
	PreToolUse         PreToolUse
	PostToolUseFailure Injecting
	SubagentStart      Injecting
	TeammateIdle       TeammateIdle
	Stop               Stop
}

// Injecting adds the budget of a hook that injects memories.
type Injecting struct {
	Deadline    time.Duration
	TokenBudget int // of everything injected, wrapper included
}

// UserPrompt adds how many memories a prompt is told.
type UserPrompt struct {
	Deadline    time.Duration
	TokenBudget int // of everything injected, wrapper included
	MaxLines    int // a memory is a line; 0 means as many as the budget holds
	// Hint reminds the model of store_memory where a prompt states a rule or decision.
	Hint bool
	// TellKept tells the user once a session which memories were kept of it.
	TellKept bool
}

// PreToolUse has a budget for each kind of tool.
type PreToolUse struct {
	Deadline         time.Duration
	ReadTokenBudget  int
	WriteTokenBudget int
	BashTokenBudget  int
}

// TeammateIdle adds the actions of an idle teammate.
type TeammateIdle struct {
	Interval time.Duration // the least time between two maintenance runs it starts
	Instruct bool          // hand the teammate the work that needs a model
}

// When Stop asks the model to keep its lessons.
const (
	AskAuto   = "auto"   // once per session, after real work
	AskNever  = "never"  // not at all
	AskAlways = "always" // at the end of every turn
)

// Stop adds when the model is asked to keep its lessons.
type Stop struct {
	Ask      string // AskAuto, AskNever, AskAlways
	AskAfter int    // the least number of edits and commands that count as real work
}

// SessionStart adds the settings of the injecting hook.
type SessionStart struct {
	Deadline     time.Duration // with no agent running yet
	WarmDeadline time.Duration // with an agent that answers
	TokenBudget  int           // of everything injected, wrapper included
	Notice       bool          // tell the user when memory does not work
}

// Tokens says how budgets are measured.
type Tokens struct {
	Encoding string // o200k_base or cl100k_base
	// SafetyFactor divides every budget, because the model's own tokenizer is
	// not public; 1 to 4.
	SafetyFactor float64
}

// Backup says which backups are made and how long the journal is kept.
type Backup struct {
	Directory   string // of the daily backups; empty means below the home
	Cron        string // when the daily backup is due; empty means never
	Keep        int    // daily backups, 1 to 365
	JournalDays int    // how long ingested events and changes are kept, 0 to 3650 days; 0 means not at all
}

// Default returns every setting at its default.
func Default() Config {
	return Config{
		Store: Store{Namespace: "claude_memory", Database: "memories"},
		Agent: Agent{IdleExit: 12 * time.Hour, EngineSleep: 10 * time.Minute, EndedExit: 30 * time.Minute, BatchSize: 100},
		Hooks: Hooks{
			Durability:         DurabilityPower,
			CaptureDeadline:    100 * time.Millisecond,
			SetupDeadline:      30 * time.Second,
			SessionStart:       SessionStart{Deadline: 1500 * time.Millisecond, WarmDeadline: 200 * time.Millisecond, TokenBudget: 550, Notice: true},
			UserPrompt:         UserPrompt{Deadline: 150 * time.Millisecond, TokenBudget: 400, MaxLines: 3, Hint: true, TellKept: true},
			PreToolUse:         PreToolUse{Deadline: 100 * time.Millisecond, ReadTokenBudget: 500, WriteTokenBudget: 500, BashTokenBudget: 300},
			PostToolUseFailure: Injecting{Deadline: 150 * time.Millisecond, TokenBudget: 300},
			SubagentStart:      Injecting{Deadline: 150 * time.Millisecond, TokenBudget: 800},
			TeammateIdle:       TeammateIdle{Interval: 30 * time.Minute},
			Stop:               Stop{Ask: AskNever, AskAfter: 5},
		},
		Tokens:      Tokens{Encoding: "o200k_base", SafetyFactor: 1},
		Maintenance: defaultMaintenance(),
		Embeddings:  defaultEmbeddings(),
		Dashboard:   Dashboard{Enabled: true},
		Distill:     defaultDistill(),
		Backup:      Backup{Cron: "37 3 * * *", Keep: 7, JournalDays: 30},
	}
}

// Problem is a setting that was not used, with its remedy.
type Problem struct {
	Key     string
	Origin  string // the environment variable or the file
	Message string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s (from %s): %s", p.Key, p.Origin, p.Message)
}

// Load reads the settings. A missing file is no problem; every problem leaves
// the default of its setting in force.
func Load(file string, getenv func(string) string) (Config, []Problem) {
	cfg := Default()
	problems := applyFile(&cfg, file)
	for s := range register {
		value := getenv(s.env)
		if value == "" {
			continue
		}
		if err := s.apply(&cfg, value); err != nil {
			problems = append(problems, Problem{s.key, s.env, err.Error()})
		}
	}
	return cfg, problems
}

func applyFile(cfg *Config, file string) []Problem {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Problem{{WholeFile, file, "cannot be read: " + err.Error()}}
	}
	tree, err := hookio.ParseObject(data)
	if err != nil {
		return []Problem{{WholeFile, file, "is not a JSON object: " + where(data, err)}}
	}
	values := map[string]string{}
	flatten("", tree, values)

	var problems []Problem
	for _, key := range slices.Sorted(maps.Keys(values)) {
		s, known := find(key)
		if !known {
			problems = append(problems, Problem{key, file, "there is no such setting; docs/configuration.md lists them all"})
			continue
		}
		if err := s.apply(cfg, values[key]); err != nil {
			problems = append(problems, Problem{key, file, err.Error()})
		}
	}
	return problems
}

// WholeFile is the key of a problem with the file and not with one setting.
const WholeFile = "config"

// where describes a defect of a JSON text and its place, lines and columns counted from
// 1.
func where(text []byte, err error) string {
	var wrong *hookio.DecodeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	what := wrong.Detail
	if what == "" {
		what = "it ends too early"
	}
	before := string(text[:min(int(wrong.Offset), len(text))])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	return fmt.Sprintf("line %d, column %d: %s", line, column, what)
}

// flatten turns nested objects into dotted keys; a dotted key in the file means
// the same as the nesting.
func flatten(prefix string, tree hookio.Value, into map[string]string) {
	for _, member := range tree.Fields {
		key := member.Name
		if prefix != "" {
			key = prefix + "." + key
		}
		switch v := member.Value; v.Kind {
		case hookio.Object:
			flatten(key, v, into)
		case hookio.Bool:
			into[key] = strconv.FormatBool(v.True)
		case hookio.String, hookio.Number:
			into[key] = v.Text
		case hookio.Array:
			into[key] = "[...]" // no setting is a list
		case hookio.Null, hookio.Missing: // as if it were not there
		}
	}
}

// setting is one row of the register below.
type setting struct {
	key string
	env string
	field
}

// apply is set for a value that somebody has given.
func (s setting) apply(c *Config, value string) error {
	err := s.set(c, value)
	if err == nil && s.key == DistillEnabled {
		c.Distill.Decided = true
	}
	return err
}

func find(key string) (setting, bool) {
	for s := range register {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// register passes on all settings in the order in which they are listed.
func register(yield func(setting) bool) {
	for _, part := range [][]setting{settings, maintenanceSettings, embeddingsSettings, distillSettings} {
		for _, s := range part {
			if !yield(s) {
				return
			}
		}
	}
}

// settings is the first part of the register. No row of it calls anything, so that the compiler lays
// the tables out: making them took each hook 0.08 ms and 20 KB (GODEBUG=inittrace=1).
var settings = []setting{
	{"disabled", "MEMORY_DISABLED", flag(func(c *Config) *bool { return &c.Disabled })},
	{"store.url", "SURREAL_URL", text(func(c *Config) *string { return &c.Store.URL })},
	{"store.namespace", "SURREAL_NS", text(func(c *Config) *string { return &c.Store.Namespace })},
	{"store.database", "SURREAL_DB", text(func(c *Config) *string { return &c.Store.Database })},
	{"store.user", "SURREAL_USER", text(func(c *Config) *string { return &c.Store.User })},
	{"store.pass", "SURREAL_PASS", text(func(c *Config) *string { return &c.Store.Pass })},
	{"store.token", "SURREAL_TOKEN", text(func(c *Config) *string { return &c.Store.Token })},
	{"store.data_path", "SURREAL_DATA_PATH", text(func(c *Config) *string { return &c.Store.DataPath })},
	{"store.engine_path", "MEMORY_ENGINE_DIR", text(func(c *Config) *string { return &c.Store.EnginePath })},
	{"agent.engine_sleep", "MEMORY_AGENT_ENGINE_SLEEP", span{0, 365 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Agent.EngineSleep }}},
	{"agent.idle_exit", "MEMORY_AGENT_IDLE_EXIT", span{0, 365 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Agent.IdleExit }}},
	{"agent.ended_exit", "MEMORY_AGENT_ENDED_EXIT", span{0, 365 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Agent.EndedExit }}},
	{"agent.batch_size", "MEMORY_AGENT_BATCH_SIZE", integer{1, 5000, func(c *Config) *int { return &c.Agent.BatchSize }}},
	{"hooks.durability", "MEMORY_HOOKS_DURABILITY", oneOf{[]string{DurabilityPower, DurabilityProcess}, func(c *Config) *string { return &c.Hooks.Durability }}},
	{"hooks.capture.deadline", "MEMORY_HOOKS_CAPTURE_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.CaptureDeadline })},
	{"hooks.setup.deadline", "MEMORY_HOOKS_SETUP_DEADLINE", span{time.Second, 10 * time.Minute, func(c *Config) *time.Duration { return &c.Hooks.SetupDeadline }}},
	{"hooks.session_start.deadline", "MEMORY_HOOKS_SESSION_START_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.SessionStart.Deadline })},
	{"hooks.session_start.warm_deadline", "MEMORY_HOOKS_SESSION_START_WARM_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.SessionStart.WarmDeadline })},
	{"hooks.session_start.token_budget", "MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.SessionStart.TokenBudget })},
	{"hooks.session_start.notice", "MEMORY_HOOKS_SESSION_START_NOTICE", flag(func(c *Config) *bool { return &c.Hooks.SessionStart.Notice })},
	{"hooks.user_prompt.deadline", "MEMORY_HOOKS_USER_PROMPT_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.UserPrompt.Deadline })},
	{"hooks.user_prompt.token_budget", "MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.UserPrompt.TokenBudget })},
	{"hooks.user_prompt.max_lines", "MEMORY_HOOKS_USER_PROMPT_MAX_LINES", integer{0, 100, func(c *Config) *int { return &c.Hooks.UserPrompt.MaxLines }}},
	{"hooks.user_prompt.hint", "MEMORY_HOOKS_USER_PROMPT_HINT", flag(func(c *Config) *bool { return &c.Hooks.UserPrompt.Hint })},
	{"hooks.user_prompt.tell_kept", "MEMORY_HOOKS_USER_PROMPT_TELL_KEPT", flag(func(c *Config) *bool { return &c.Hooks.UserPrompt.TellKept })},
	{"hooks.pre_tool_use.deadline", "MEMORY_HOOKS_PRE_TOOL_USE_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.PreToolUse.Deadline })},
	{"hooks.pre_tool_use.read_token_budget", "MEMORY_HOOKS_PRE_TOOL_USE_READ_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.PreToolUse.ReadTokenBudget })},
	{"hooks.pre_tool_use.write_token_budget", "MEMORY_HOOKS_PRE_TOOL_USE_WRITE_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.PreToolUse.WriteTokenBudget })},
	{"hooks.pre_tool_use.bash_token_budget", "MEMORY_HOOKS_PRE_TOOL_USE_BASH_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.PreToolUse.BashTokenBudget })},
	{"hooks.post_tool_use_failure.deadline", "MEMORY_HOOKS_POST_TOOL_USE_FAILURE_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.PostToolUseFailure.Deadline })},
	{"hooks.post_tool_use_failure.token_budget", "MEMORY_HOOKS_POST_TOOL_USE_FAILURE_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.PostToolUseFailure.TokenBudget })},
	{"hooks.subagent_start.deadline", "MEMORY_HOOKS_SUBAGENT_START_DEADLINE", deadline(func(c *Config) *time.Duration { return &c.Hooks.SubagentStart.Deadline })},
	{"hooks.subagent_start.token_budget", "MEMORY_HOOKS_SUBAGENT_START_TOKEN_BUDGET", budget(func(c *Config) *int { return &c.Hooks.SubagentStart.TokenBudget })},
	{"hooks.teammate_idle.interval", "MEMORY_HOOKS_TEAMMATE_IDLE_INTERVAL", span{time.Second, 7 * 24 * time.Hour, func(c *Config) *time.Duration { return &c.Hooks.TeammateIdle.Interval }}},
	{"hooks.teammate_idle.instruct", "MEMORY_HOOKS_TEAMMATE_IDLE_INSTRUCT", flag(func(c *Config) *bool { return &c.Hooks.TeammateIdle.Instruct })},
	{"hooks.stop.ask", "MEMORY_HOOKS_STOP_ASK", oneOf{[]string{AskAuto, AskNever, AskAlways}, func(c *Config) *string { return &c.Hooks.Stop.Ask }}},
	{"hooks.stop.ask_after", "MEMORY_HOOKS_STOP_ASK_AFTER", integer{1, 1000, func(c *Config) *int { return &c.Hooks.Stop.AskAfter }}},
	{"tokens.encoding", "MEMORY_TOKENS_ENCODING", oneOf{[]string{"o200k_base", "cl100k_base"}, func(c *Config) *string { return &c.Tokens.Encoding }}},
	{"tokens.safety_factor", "MEMORY_TOKENS_SAFETY_FACTOR", number{1, 4, func(c *Config) *float64 { return &c.Tokens.SafetyFactor }}},
	{"dashboard.enabled", "MEMORY_DASHBOARD_ENABLED", flag(func(c *Config) *bool { return &c.Dashboard.Enabled })},
	{"share.author", "MEMORY_SHARE_AUTHOR", text(func(c *Config) *string { return &c.Share.Author })},
	{"backup.directory", "MEMORY_BACKUP_DIRECTORY", text(func(c *Config) *string { return &c.Backup.Directory })},
	{"backup.cron", "MEMORY_BACKUP_CRON", text(func(c *Config) *string { return &c.Backup.Cron })},
	{"backup.keep", "MEMORY_BACKUP_KEEP", integer{1, 365, func(c *Config) *int { return &c.Backup.Keep }}},
	{"backup.journal_days", "MEMORY_BACKUP_JOURNAL_DAYS", integer{0, 3650, func(c *Config) *int { return &c.Backup.JournalDays }}},
}
