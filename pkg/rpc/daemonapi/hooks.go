package daemonapi

// The methods that hook programs call.
var (
	// MethodHello notifies the daemon of who calls, before any other call. A daemon that is older than the caller's
	// build ends, and starts the newer build in its place.
	MethodHello = Method[Caller, None]{"meet"} // the name of older builds
	// MethodPing is answered at once in every state.
	MethodPing = Method[None, None]{"ping"}
	// MethodSpooled notifies the daemon of events in the spool. SpooledParams may be missing.
	MethodSpooled = Method[SpooledParams, None]{"spooled"}
	// MethodSessionContext returns the text for a starting session.
	MethodSessionContext = Method[SessionContextParams, ContextResult]{"session_context"}
	// MethodRecall returns the memories that fit a prompt, a file or a command.
	MethodRecall = Method[RecallParams, ContextResult]{"recall"}
	// MethodPlanSubagent notifies the daemon of the task of a subagent that is about to start, for its briefing.
	MethodPlanSubagent = Method[PlanSubagentParams, None]{"plan_subagent"}
	// MethodIdle notifies the daemon that there is time for maintenance.
	MethodIdle = Method[None, None]{"idle"}
)

// Caller describes the calling program to the daemon. No other variable of the caller's environment is sent, because
// the environment may contain API keys.
type Caller struct {
	Program string `json:"program"` // absolute path of memoryd in the caller's plugin
	Path    string `json:"path"`    // the caller's PATH
}

// Trouble is a reason why memory does not work, as the user reads it.
type Trouble struct {
	Problem string `json:"problem"` // clause without a full stop, such as "no SurrealDB engine was found"
	// Help is a clause before the command that names the first step; it may be empty.
	Help string `json:"help,omitempty"`
	// Command is the subcommand of `memory` that helps, such as "doctor"; empty if the user can only wait.
	Command string `json:"command,omitempty"`
	IsOver  bool   `json:"is_over,omitempty"` // the problem is solved, and nothing is left to do
}

// String returns the problem and its remedy as one line.
func (t Trouble) String() string {
	switch {
	case t.Help == "" && t.Command != "":
		return t.Problem + "; run memory " + t.Command
	case t.Help != "":
		return t.Problem + "; " + t.Remedy()
	}
	return t.Problem
}

// Remedy returns Help and Command as one text; empty if the user can only wait.
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
	// Spool is the directory of the fallback spool, if an event went there: the caller's environment may name another directory than the daemon's.
	Spool string `json:"spool,omitempty"`
}

// SessionContextParams describes a starting session.
type SessionContextParams struct {
	Project     string `json:"project"`
	Root        string `json:"root,omitempty"`   // directory of the project
	Client      string `json:"client,omitempty"` // codex, or empty for Claude Code
	Session     string `json:"session"`
	Source      string `json:"source,omitempty"`  // startup, resume, clear, compact, fork
	TokenBudget int    `json:"token_budget"`      // maximum number of tokens, including the wrapper
	Program     bool   `json:"program,omitempty"` // whether a program reads the model's last answer, which a question of ours would replace
	// Before is the id of the session's own start event. Events that were spooled before it are ingested first.
	Before string `json:"before,omitempty"`
	// WaitMS is how long the caller waits, in milliseconds. A daemon that is starting answers when it is ready, or after this time.
	WaitMS int `json:"wait_ms"`
}

// The purposes of a recall: what is about to happen or has just happened.
const (
	ForPrompt   = "prompt"   // Text is the prompt
	ForRead     = "read"     // File is about to be read
	ForWrite    = "write"    // File is about to be changed
	ForCommand  = "command"  // Command is about to run
	ForFailure  = "failure"  // Command has just failed with the error Text
	ForSubagent = "subagent" // a subagent of the type Text starts
)

// RecallParams asks for memories. Purpose decides which of Text, File and Command count.
type RecallParams struct {
	Purpose     string `json:"purpose"`
	Project     string `json:"project"`
	Root        string `json:"root,omitempty"`   // directory of the project
	Client      string `json:"client,omitempty"` // see SessionContextParams
	Session     string `json:"session"`
	Subagent    string `json:"subagent,omitempty"` // id of the subagent that the answer is for; empty for the main agent
	Text        string `json:"text,omitempty"`
	File        string `json:"file,omitempty"` // relative to the project's root
	Command     string `json:"command,omitempty"`
	TokenBudget int    `json:"token_budget"`
	MaxLines    int    `json:"max_lines,omitempty"` // maximum number of lines; 0 for as many as fit
	Hint        bool   `json:"hint,omitempty"`      // reminds the model of store_memory where it fits, for a prompt
	// ReportKept asks, for a prompt, for ContextResult.Kept.
	ReportKept bool `json:"report_kept,omitempty"`
	WaitMS     int  `json:"wait_ms"`
}

// PlanSubagentParams holds the task of a subagent.
type PlanSubagentParams struct {
	Session string `json:"session"`
	Type    string `json:"type"`
	Task    string `json:"task"`
}

// ContextResult holds the text to inject, which may be empty.
type ContextResult struct {
	Text     string `json:"text"`
	Tokens   int    `json:"tokens"`   // exact number by Encoding
	Encoding string `json:"encoding"` // the encoding by which Tokens were counted
	Items    int    `json:"items"`
	// Budget is the token limit of a start, as requested.
	Budget int `json:"budget,omitempty"`
	// Kept is a line for the user, or "". After a prompt it says, once in a session, how many memories were kept; at
	// a start, which memory of the user's a model has replaced. KeptCommand is the subcommand of `memory` with which
	// the user can continue, such as "open"; the hook writes it in the form of its client.
	Kept        string `json:"kept,omitempty"`
	KeptCommand string `json:"kept_command,omitempty"`
	// Doubt is, at a start, the Doubt of MethodPlace, or the reason why nothing of the session is stored.
	Doubt string `json:"doubt,omitempty"`
	// Trouble is a problem to show to the user, or nil.
	Trouble *Trouble `json:"trouble,omitempty"`
}
