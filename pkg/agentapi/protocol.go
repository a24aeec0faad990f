// Package agentapi is how programs talk to the resident agent: JSON-RPC 2.0, one
// message a line, over a unix socket that only this user can open. It owns the methods
// with their parameters and results, the messages, and who may be at the other end of
// the socket; packages agentserver and agentclient are the two ends. It links no network
// package, because hook programs take it in.
package agentapi

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// SpooledParams are those of MethodSpooled.
type SpooledParams struct {
	// Spool is the fallback spool that an event went to, if it did: one process's
	// environment may name another folder than the agent's.
	Spool string `json:"spool,omitempty"`
}

// The methods of the agent.
var (
	// MethodSpooled tells the agent, without waiting, that events lie in the
	// spool. It is a notification; parameters (SpooledParams) may be missing.
	MethodSpooled = Light[SpooledParams, None]{Method[SpooledParams, None]{"spooled"}, SpooledParams.write, (*None).read}
	// MethodSessionContext asks for the text that a starting session gets.
	MethodSessionContext = Light[SessionContextParams, ContextResult]{
		Method[SessionContextParams, ContextResult]{"session_context"}, SessionContextParams.write, (*ContextResult).read,
	}
	// MethodRecall asks for memories that fit a prompt, a file or a command.
	MethodRecall = Light[RecallParams, ContextResult]{Method[RecallParams, ContextResult]{"recall"}, RecallParams.write, (*ContextResult).read}
	// MethodPlanSubagent tells the task of a subagent that is about to start, for
	// its briefing. It is a notification.
	MethodPlanSubagent = Light[PlanSubagentParams, None]{Method[PlanSubagentParams, None]{"plan_subagent"}, PlanSubagentParams.write, (*None).read}
	// MethodShouldAsk asks whether the model is to be asked now to keep its lessons; a
	// yes is given once a session.
	MethodShouldAsk = Light[ShouldAskParams, bool]{Method[ShouldAskParams, bool]{"should_ask"}, ShouldAskParams.write, readBool}
	// MethodIdle tells that there is time for maintenance. It is a notification.
	MethodIdle = Light[None, None]{Method[None, None]{"idle"}, None.write, (*None).read}
	// MethodIngest ingests all that is spooled now and answers when it is stored.
	MethodIngest = Method[None, IngestResult]{"ingest"}
	// MethodMemories lists memories by a memory.Filter; MethodRuns lists the newest
	// maintenance runs, as many as the number it is given.
	MethodMemories = Method[memory.Filter, []memory.Memory]{"memories"}
	// MethodCount counts the rows that match a memory.Filter, whatever its limit.
	MethodCount = Method[memory.Filter, int]{"count"}
	MethodRuns  = Method[int, []memory.Run]{"runs"}
	// MethodCorrected says of the memories with some ids which were corrected, and by the memory with which id.
	MethodCorrected = Method[[]string, map[string]string]{"corrected"}
	// MethodFind ranks the memories that answer a question; MethodAnswer packs them
	// into a budget.
	MethodFind   = Method[FindParams, []memory.Hit]{"find"}
	MethodAnswer = Method[AnswerParams, Answer]{"answer"}
	// MethodGet returns memories by their ids, or by the beginnings of them; those that a project has no part in
	// are left out.
	MethodGet = Method[GetParams, []memory.Memory]{"get"}
	// MethodAround returns the memories around another or around a time.
	MethodAround = Method[AroundParams, []memory.Memory]{"around"}
	// MethodKept ingests the spooled events and returns the memory that an event of the
	// kind memory.EventRemembered has become.
	MethodKept = Method[memory.Event, memory.Memory]{"kept"}
	// MethodAmend changes one memory.
	MethodAmend = Method[AmendParams, AmendResult]{"amend"}
	// MethodConsolidate runs all maintenance jobs, or plans them only.
	MethodConsolidate = Method[ConsolidateParams, []memory.Run]{"consolidate"}
	// MethodUndo reverts the changes of a run. MethodRun returns a run with its actions,
	// by its id or the beginning of it.
	MethodUndo = Method[UndoParams, memory.Run]{"undo"}
	MethodRun  = Method[string, memory.Run]{"run"}
	// MethodStatus returns the agent's state; it is answered in every state.
	MethodStatus = Method[None, StatusResult]{"status"}
	// MethodBurst returns the burst of events that is being taken in, nil if there is none.
	// It asks no store.
	MethodBurst = Method[None, *BurstStatus]{"burst"}
	// MethodStop ends the agent. It is a notification: the agent has ended when
	// its lock is free.
	MethodStop = Method[None, None]{"stop"}
)

// SessionContextParams asks for the context of a starting session.
type SessionContextParams struct {
	Project     string `json:"project"`
	Root        string `json:"root,omitempty"` // of the project, where it is worked on
	Dir         string `json:"dir,omitempty"`  // that the client was started in; empty: the root
	Session     string `json:"session"`
	Source      string `json:"source,omitempty"` // startup, resume, clear, compact, fork
	TokenBudget int    `json:"token_budget"`     // tokens of everything, wrapper included
	// Before is the id of the session's own start event: events spooled before it are
	// ingested first.
	Before string `json:"before,omitempty"`
	// WaitMS is how long the caller waits, in milliseconds; a starting agent
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
	Root        string `json:"root,omitempty"` // of the project, where it is worked on
	Dir         string `json:"dir,omitempty"`  // that the client was started in; empty: the root
	Session     string `json:"session"`
	Subagent    string `json:"subagent,omitempty"` // of the session, for which this is; empty for the main agent
	Text        string `json:"text,omitempty"`
	File        string `json:"file,omitempty"` // relative to the project's root
	Command     string `json:"command,omitempty"`
	TokenBudget int    `json:"token_budget"`
	MaxLines    int    `json:"max_lines,omitempty"` // 0: as many as the budget holds
	Hint        bool   `json:"hint,omitempty"`      // of a prompt: remind the model of store_memory where it fits
	// TellKept asks, for a prompt, for the line that counts once a session the memories
	// kept of it: ContextResult.Kept.
	TellKept bool `json:"tell_kept,omitempty"`
	WaitMS   int  `json:"wait_ms"`
}

// PlanSubagentParams tells a subagent's task.
type PlanSubagentParams struct {
	Session string `json:"session"`
	Type    string `json:"type"`
	Task    string `json:"task"`
}

// ShouldAskParams asks for a session.
type ShouldAskParams struct {
	Project string `json:"project"`
	Session string `json:"session"`
	WaitMS  int    `json:"wait_ms"`
}

// ContextResult is the text to inject; empty if there is nothing to inject.
type ContextResult struct {
	Text     string `json:"text"`
	Tokens   int    `json:"tokens"`   // exact, by the named encoding
	Encoding string `json:"encoding"` // o200k_base or cl100k_base
	Items    int    `json:"items"`
	// Budget is the most tokens of a start: fewer than asked for in a project without facts.
	Budget int `json:"budget,omitempty"`
	// Kept is a line for the user about the memories kept of the session; empty: there is
	// nothing to say.
	Kept string `json:"kept,omitempty"`
	// Trouble is a problem that the user is to be told.
	Trouble *Trouble `json:"trouble,omitempty"`
}

// FindParams asks for memories that answer a question. Those that the session already has
// are not left out.
type FindParams struct {
	Project string        `json:"project"`
	Root    string        `json:"root,omitempty"` // of the project, where it is worked on
	Session string        `json:"session"`
	Text    string        `json:"text"`
	Files   []string      `json:"files,omitempty"` // relative to the project's root
	Kinds   []memory.Kind `json:"kinds,omitempty"` // all if empty
	// Archived searches only archived memories; without a text it lists them.
	Archived bool `json:"archived,omitempty"`
	// Words leaves out memories that have no word of the text.
	Words bool `json:"words,omitempty"`
	Limit int  `json:"limit"`
}

// AnswerParams asks for as many of the memories as fit into a budget.
type AnswerParams struct {
	FindParams
	TokenBudget int `json:"token_budget"` // of the whole Answer as JSON
	// Explain adds to each memory why it was found.
	Explain bool `json:"explain,omitempty"`
}

// Answer is the answer to a question. Its fields are in the order of their names, as
// the client shows them to the model, so that Tokens is exact.
type Answer struct {
	Left     int        `json:"left,omitempty"` // that fit the question, but are beyond the budget
	Memories []Answered `json:"memories"`       // the best first
	// Nearest says that none fits the question, and that Memories has the one that is nearest to it, if any is.
	Nearest bool   `json:"nearest,omitempty"`
	Note    string `json:"note,omitempty"` // how far the memories may be followed
	Tokens  int    `json:"tokens"`
}

// Answered is one memory of an answer.
type Answered struct {
	Content string `json:"content"`
	Date    string `json:"date"`            // when it was last seen
	Files   string `json:"files,omitempty"` // the changes of the files it is about; empty: few
	ID      string `json:"id"`              // enough digits to be unique
	Kind    string `json:"kind"`
	Source  string `json:"source"`           // who said it
	Status  string `json:"status,omitempty"` // unless it is active: of a session for which a model's facts stand it is evidence
	Why     string `json:"why,omitempty"`    // the parts of its score, if asked for
}

// GetParams asks for memories of a project and of the user.
type GetParams struct {
	Project string   `json:"project"`
	Root    string   `json:"root,omitempty"` // of the project, where it is worked on
	IDs     []string `json:"ids"`
}

// AroundParams asks for the surroundings of a memory, or of a time if ID is empty.
type AroundParams struct {
	Project string    `json:"project"`
	ID      string    `json:"id,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Before  int       `json:"before"`
	After   int       `json:"after"`
}

// AmendParams changes a memory of a project or of the user.
type AmendParams struct {
	Project string        `json:"project"`
	ID      string        `json:"id"`
	Change  memory.Change `json:"change"`
}

// AmendResult is the memory as it was, and as it is now.
type AmendResult struct {
	Before memory.Memory `json:"before"`
	After  memory.Memory `json:"after"`
}

// Changed tells whether the change made a difference.
func (r AmendResult) Changed() bool { return !reflect.DeepEqual(r.Before, r.After) }

// ConsolidateParams names the trigger and the job, and whether anything is to be written.
type ConsolidateParams struct {
	Trigger string `json:"trigger"`
	Job     string `json:"job,omitempty"` // one of package consolidate's; empty means all
	DryRun  bool   `json:"dry_run"`
	Force   bool   `json:"force,omitempty"` // without the limit on the rows that one run may archive
	All     bool   `json:"all,omitempty"`   // look at every memory, and not only at the changed ones
}

// UndoParams names the run to undo, and who asks.
type UndoParams struct {
	Run     string `json:"run"`
	Trigger string `json:"trigger"`
}

// IngestResult counts the events of one ingest.
type IngestResult struct {
	Events int `json:"events"`
	Dead   int `json:"dead"`
}

// StatusResult is how the agent is.
type StatusResult struct {
	Version string        `json:"version"`
	PID     int           `json:"pid"`
	State   string        `json:"state"` // starting, installing, ready, waiting
	Reason  string        `json:"reason,omitempty"`
	Trouble *Trouble      `json:"trouble,omitempty"` // the reason in words for the user, with its remedy
	Notice  string        `json:"notice,omitempty"`  // how the store was repaired lately without asking
	Engine  EngineStatus  `json:"engine"`
	Spool   SpoolStatus   `json:"spool"`
	Store   *memory.Stats `json:"store,omitempty"` // absent while the store cannot be reached
	// CountedAt is when Store was counted, if it could not be counted anew within a second.
	CountedAt time.Time `json:"counted_at,omitzero"`
	// Vectors counts the memories of the loaded projects that are found by their
	// meaning as well.
	Vectors int `json:"vectors,omitempty"`
	// Burst is there while a burst of events is taken in.
	Burst *BurstStatus `json:"burst,omitempty"`
	// Distill is how distillation by a model stands; absent where it is switched off.
	Distill *DistillStatus `json:"distill,omitempty"`
}

// BurstStatus is how a burst of events stands: more come in than one batch holds.
type BurstStatus struct {
	Since   time.Time `json:"since"`
	Waiting []JobWait `json:"waiting,omitempty"` // background maintenance that waits for its end
}

// String names the burst's start, by the local clock, and the work that waits for its
// end.
func (b BurstStatus) String() string {
	text := "a burst of events has been coming in since " + clock(b.Since)
	for i, wait := range b.Waiting {
		if text += ", "; i == 0 {
			text += "and maintenance waits for its end: "
		}
		text += wait.Job + " since " + clock(wait.Since) + ", at the latest until " + clock(wait.Until)
	}
	return text
}

func clock(at time.Time) string { return at.Local().Format(time.TimeOnly) }

// JobWait says that a job of background maintenance waits.
type JobWait struct {
	Job   string    `json:"job"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"` // at the latest
}

// EngineStatus is which SurrealDB serves.
type EngineStatus struct {
	Kind     string `json:"kind"`              // remote, binary, embedded; empty when there is none
	Name     string `json:"name,omitempty"`    // for people: embedded (SurrealDB 3.0.2, Node 20.20.2)
	Version  string `json:"version,omitempty"` // of SurrealDB; empty for a remote one
	PID      int    `json:"pid,omitempty"`
	Restarts int    `json:"restarts"`
	// Silent is since when it has not answered; a local one is replaced then. Absent while it answers.
	Silent time.Time `json:"silent,omitzero"`
	// Asleep says that the engine ended because it had nothing to do; the next request
	// starts it.
	Asleep bool `json:"asleep,omitempty"`
	// Ended is why it was last ended or could not start; empty if that never happened.
	Ended string `json:"ended,omitempty"`
}

// SpoolStatus counts the events that wait, are being ingested, or could not be.
type SpoolStatus struct {
	New     int `json:"new"`
	Claimed int `json:"claimed"`
	Dead    int `json:"dead"`
}

// The error codes of the agent, beside JSON-RPC's own.
const (
	CodeParse       = -32700
	CodeMethod      = -32601
	CodeParams      = -32602
	CodeInternal    = -32603
	CodeUnavailable = -32001 // the store cannot be reached now
	CodeNotFound    = -32002
)

const (
	// Version is JSON-RPC's, in each message.
	Version = "2.0"
	// maxMessageBytes bounds the memory that one line may take in the reader.
	maxMessageBytes = 16 << 20
)

// Error is the agent's answer to a request that failed.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error is the message without the code, which means nothing to people. A method that the
// agent does not know is one of a newer program: an agent outlives an upgrade.
func (e *Error) Error() string {
	if e.Code == CodeMethod {
		return e.Message + ": the agent that runs is of another version; memory agent stop ends it, and the next command or session starts this one"
	}
	return e.Message
}

// Unwrap lets a caller match the domain's errors.
func (e *Error) Unwrap() error {
	switch e.Code {
	case CodeUnavailable:
		return memory.ErrUnavailable
	case CodeNotFound:
		return memory.ErrNotFound
	case CodeParams:
		return memory.ErrInvalid
	}
	return nil
}

// Request is a call as it is sent.
type Request struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id,omitempty"` // 0 marks a notification
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// Response is an answer as it is sent.
type Response struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}
