package daemonapi

// The methods that hook programs ask.
var (
	// MethodMeet identifies the caller to the daemon, before anything else: a daemon without an engine
	// looks for one again with the caller's PATH, and one that is an older build than the
	// caller's makes room for that.
	MethodMeet = Method[Caller, None]{"meet"}
	// MethodPing is answered at once in every state by a daemon that is alive.
	MethodPing = Method[None, None]{"ping"}
	// MethodSpooled notifies the daemon, without waiting, of events in the spool. It is a
	// notification; parameters (SpooledParams) may be missing.
	MethodSpooled = Method[SpooledParams, None]{"spooled"}
	// MethodSessionContext asks for the text that a starting session gets.
	MethodSessionContext = Method[SessionContextParams, ContextResult]{"session_context"}
	// MethodRecall asks for memories that fit a prompt, a file or a command.
	MethodRecall = Method[RecallParams, ContextResult]{"recall"}
	// MethodPlanSubagent sends the task of a subagent that is about to start, for its briefing. It is a
	// notification.
	MethodPlanSubagent = Method[PlanSubagentParams, None]{"plan_subagent"}
	// MethodIdle signals that there is time for maintenance. It is a notification.
	MethodIdle = Method[None, None]{"idle"}
)

// Caller describes the calling program to the daemon. Nothing else of the caller's
// environment is sent: it holds API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
}

// Trouble is a reason why memory does not work, in words for the user.
type Trouble struct {
	Problem string `json:"problem"` // a clause without its full stop, such as "no SurrealDB engine was found"
	// Help is a clause to print before the command, if any: the first thing to do.
	Help string `json:"help,omitempty"`
	// Command is the remedy, a subcommand of `memory` such as "doctor"; empty: there is
	// nothing to do but wait.
	Command string `json:"command,omitempty"`
}

// String names the trouble and its remedy.
func (t Trouble) String() string {
	if help := t.Remedy(); help != "" {
		return t.Problem + ": " + help
	}
	return t.Problem
}

// Remedy returns the help and the command; empty: nothing but wait.
func (t Trouble) Remedy() string {
	switch {
	case t.Command == "":
		return t.Help
	case t.Help == "":
		return "memory " + t.Command
	}
	return t.Help + " memory " + t.Command
}

// SpooledParams are those of MethodSpooled.
type SpooledParams struct {
	// Spool is the fallback spool that an event went to, if it did: one process's
	// environment may name another folder than the daemon's.
	Spool string `json:"spool,omitempty"`
}

// SessionContextParams asks for the context of a starting session.
type SessionContextParams struct {
	Project     string `json:"project"`
	Root        string `json:"root,omitempty"`   // of the project, where it is worked on
	Dir         string `json:"dir,omitempty"`    // that the client was started in; empty: the root
	Client      string `json:"client,omitempty"` // that asks: codex, or empty for Claude Code
	Session     string `json:"session"`
	Source      string `json:"source,omitempty"`  // startup, resume, clear, compact, fork
	TokenBudget int    `json:"token_budget"`      // tokens of everything, wrapper included
	Program     bool   `json:"program,omitempty"` // reads the model's answers: nothing is asked of the model
	// Before is the id of the session's own start event: events spooled before it are
	// ingested first.
	Before string `json:"before,omitempty"`
	// WaitMS is how long the caller waits, in milliseconds; a starting daemon
	// answers when it is ready or the time is up.
	WaitMS int `json:"wait_ms"`
}

// The purposes of a recall: the action that is about to happen, or just did.
const (
	ForPrompt   = "prompt"   // Text is the prompt
	ForRead     = "read"     // File is about to be read
	ForWrite    = "write"    // File is about to be changed
	ForCreate   = "create"   // File, which is not there yet, is about to be made
	ForCommand  = "command"  // Command is about to run
	ForFailure  = "failure"  // Command has just failed with the error Text
	ForSubagent = "subagent" // a subagent of the type Text starts
)

// RecallParams asks for memories. Which of Text, File and Command count follows
// from the purpose.
type RecallParams struct {
	Purpose     string `json:"purpose"`
	Project     string `json:"project"`
	Root        string `json:"root,omitempty"`   // of the project, where it is worked on
	Dir         string `json:"dir,omitempty"`    // that the client was started in; empty: the root
	Client      string `json:"client,omitempty"` // as in SessionContextParams
	Session     string `json:"session"`
	Subagent    string `json:"subagent,omitempty"` // of the session, for which this is; empty for the main daemon
	Text        string `json:"text,omitempty"`
	File        string `json:"file,omitempty"` // relative to the project's root
	Command     string `json:"command,omitempty"`
	TokenBudget int    `json:"token_budget"`
	MaxLines    int    `json:"max_lines,omitempty"` // 0: as many as the budget holds
	Hint        bool   `json:"hint,omitempty"`      // of a prompt: remind the model of store_memory where it fits
	Program     bool   `json:"program,omitempty"`   // as in SessionContextParams
	// ReportKept asks, for a prompt, for the line that counts once a session the memories
	// kept of it: ContextResult.Kept.
	ReportKept bool `json:"report_kept,omitempty"`
	WaitMS     int  `json:"wait_ms"`
}

// PlanSubagentParams is a subagent's task.
type PlanSubagentParams struct {
	Session string `json:"session"`
	Type    string `json:"type"`
	Task    string `json:"task"`
}

// ContextResult is the text to inject; empty if there is nothing to inject.
type ContextResult struct {
	Text     string `json:"text"`
	Tokens   int    `json:"tokens"`   // exact, by the named encoding
	Encoding string `json:"encoding"` // o200k_base or cl100k_base
	Items    int    `json:"items"`
	// Budget is the most tokens of a start: fewer than asked for in a project without facts.
	Budget int `json:"budget,omitempty"`
	// Kept is a line for the user about the memories kept of the session, or at a start about one of the user's that a model has
	// replaced; may be empty. KeptCommand is the subcommand of
	// `memory` that goes on from there, such as "open": the hook writes it in the way that works in its client.
	Kept        string `json:"kept,omitempty"`
	KeptCommand string `json:"kept_command,omitempty"`
	// Doubt is PlaceResult.Doubt, at a start.
	Doubt string `json:"doubt,omitempty"`
	// Trouble is a problem to show to the user.
	Trouble *Trouble `json:"trouble,omitempty"`
}
