package daemonapi

// The methods that hook programs call.
var (
	// MethodMeet identifies the caller to the daemon, before any other call. A daemon without an engine
	// then looks for one again with the caller's PATH, and a daemon of an older build than the caller's
	// makes room for the caller's.
	MethodMeet = Method[Caller, None]{"meet"}
	// MethodPing is answered at once by a daemon that is alive, in every state.
	MethodPing = Method[None, None]{"ping"}
	// MethodSpooled tells the daemon about events in the spool. It is a notification;
	// parameters (SpooledParams) may be missing.
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

// Caller describes the calling program to the daemon. Nothing else of the caller's environment is
// sent, because it holds API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
}

// Trouble is a reason why memory does not work, in words for the user.
type Trouble struct {
	Problem string `json:"problem"` // a clause without its full stop, such as "no SurrealDB engine was found"
	// Help is a clause to print before the command: the first thing to do. It may be empty.
	Help string `json:"help,omitempty"`
	// Command is the remedy, a subcommand of `memory` such as "doctor"; empty if the user can
	// only wait.
	Command string `json:"command,omitempty"`
}

// String names the trouble and its remedy.
func (t Trouble) String() string {
	if help := t.Remedy(); help != "" {
		return t.Problem + ": " + help
	}
	return t.Problem
}

// Remedy returns the help and the command; empty if the user can only wait.
func (t Trouble) Remedy() string {
	switch {
	case t.Command == "":
		return t.Help
	case t.Help == "":
		return "memory " + t.Command
	}
	return t.Help + " memory " + t.Command
}

// SpooledParams are the parameters of MethodSpooled.
type SpooledParams struct {
	// Spool is the fallback spool to which an event went, if it did: the caller's environment
	// may name another folder than the daemon's.
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
	// WaitMS is how long the caller waits, in milliseconds. A starting daemon answers when it
	// is ready or when the time is up.
	WaitMS int `json:"wait_ms"`
}

// The purposes of a recall: the action that is about to happen or just happened.
const (
	ForPrompt   = "prompt"   // Text is the prompt
	ForRead     = "read"     // File is about to be read
	ForWrite    = "write"    // File is about to be changed
	ForCreate   = "create"   // File, which is not there yet, is about to be made
	ForCommand  = "command"  // Command is about to run
	ForFailure  = "failure"  // Command has just failed with the error Text
	ForSubagent = "subagent" // a subagent of the type Text starts
)

// RecallParams asks for memories. The purpose decides which of Text, File and Command
// count.
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
	// ReportKept asks, for a prompt, for ContextResult.Kept: the line, once in a session, that counts
	// the memories kept of it.
	ReportKept bool `json:"report_kept,omitempty"`
	WaitMS     int  `json:"wait_ms"`
}

// PlanSubagentParams is a subagent's task.
type PlanSubagentParams struct {
	Session string `json:"session"`
	Type    string `json:"type"`
	Task    string `json:"task"`
}

// ContextResult holds the text to inject; empty if there is none.
type ContextResult struct {
	Text     string `json:"text"`
	Tokens   int    `json:"tokens"`   // exact, by the named encoding
	Encoding string `json:"encoding"` // o200k_base or cl100k_base
	Items    int    `json:"items"`
	// Budget is the most tokens of a start. In a project without facts it is smaller than asked for.
	Budget int `json:"budget,omitempty"`
	// Kept is a line for the user about the memories kept of the session, or at a start about a memory of the user's that a model has
	// replaced; it may be empty. KeptCommand is the subcommand of `memory` with which the user can go on, such as "open". The hook
	// writes it in the way that works in its client.
	Kept        string `json:"kept,omitempty"`
	KeptCommand string `json:"kept_command,omitempty"`
	// Doubt is PlaceResult.Doubt, at a start.
	Doubt string `json:"doubt,omitempty"`
	// Trouble is a problem to show to the user.
	Trouble *Trouble `json:"trouble,omitempty"`
}
