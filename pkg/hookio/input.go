// Package hookio owns the JSON that Claude Code writes to a hook's standard
// input and the JSON that it reads back from the hook's standard output.
//
// It only translates: it starts nothing, reads no file, keeps no state and does not
// interpret events. It does not trust its input: every size is bounded by [Limits], and a
// document that ends too early or is not JSON still yields the fields that came before
// the damage.
//
// The field names and the outputs follow docs and observation of Claude Code
// 2.1.329; the recorded inputs are in testdata/hook-input.
package hookio

import "slices"

// Names of Claude Code's long-standing events, as they stand in
// hook_event_name. Newer events are not listed: an older client drops a whole
// plugin over one unknown name.
const (
	SessionStart       = "SessionStart"
	SessionEnd         = "SessionEnd"
	Setup              = "Setup"
	UserPromptSubmit   = "UserPromptSubmit"
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	Notification       = "Notification"
	SubagentStart      = "SubagentStart"
	SubagentStop       = "SubagentStop"
	TaskCompleted      = "TaskCompleted"
	TeammateIdle       = "TeammateIdle"
	Stop               = "Stop"
	StopFailure        = "StopFailure"
	PreCompact         = "PreCompact"
	PostCompact        = "PostCompact"
)

// Input is the part of a hook's input that hooks read, for all events together: a field that
// an event does not send is empty. The fields' comments name the events that send them; where
// none is named, every event does.
type Input struct {
	SessionID      string // a UUID; kept over resume and compaction, new after /clear and fork
	TranscriptPath string // the file may not exist yet, and lags behind the event
	CWD            string // the session's current directory; follows cd
	HookEventName  string

	AgentID   string // set only inside a subagent and on SubagentStart, SubagentStop, TeammateIdle
	AgentType string // "" on the SubagentStop of a compaction

	Source string // UserPromptSubmit: user, sdk, system, loop_wakeup, ...; SessionStart: startup, resume, clear, compact, fork; ConfigChange; model switches

	Trigger        string // Setup: init, maintenance; PreCompact, PostCompact: manual, auto
	CompactSummary string // PostCompact; still with its analysis and summary tags
	Reason         string // SessionEnd: clear, resume, logout, prompt_input_exit, other; PermissionDenied

	Prompt string // UserPromptSubmit (also machine text such as <task-notification>), UserPromptExpansion

	ToolName     string // tool events and PermissionRequest
	ToolUseID    string // tool events, not PermissionRequest
	ToolInput    Value  // tool events and PermissionRequest; an object
	ToolResponse Value  // PostToolUse: an object, an array (MCP) or a string
	Error        string // PostToolUseFailure: "Exit code N\n..."; StopFailure: a code such as rate_limit
	IsInterrupt  bool   // PostToolUseFailure
	McpServer    McpServer

	LastAssistantMessage string // Stop, SubagentStop; StopFailure: the text of the error
	AgentTranscriptPath  string // SubagentStop

	TaskSubject     string // TaskCreated, TaskCompleted
	TaskDescription string // TaskCreated, TaskCompleted
	TeammateName    string // TaskCreated, TaskCompleted, TeammateIdle

	NotificationType string // Notification: permission_prompt, idle_prompt, ...

	FilePath string // InstructionsLoaded, ConfigChange, FileChanged

	// CutFields names the top-level JSON fields (such as "prompt") whose text
	// was longer than [Limits].String and lost its middle. Cuts inside
	// ToolInput and ToolResponse are marked on their values.
	CutFields []string
}

// McpServer is the server of an MCP tool; zero for any other tool.
type McpServer struct {
	Name   string // "plugin:<plugin>:<server>" for a plugin's server
	Source string
}

// text returns where the string of a top-level key goes, or nil.
func (in *Input) text(key string) *string {
	switch key {
	case "session_id":
		return &in.SessionID
	case "transcript_path":
		return &in.TranscriptPath
	case "cwd":
		return &in.CWD
	case "hook_event_name":
		return &in.HookEventName
	case "agent_id":
		return &in.AgentID
	case "agent_type":
		return &in.AgentType
	case "source":
		return &in.Source
	case "trigger":
		return &in.Trigger
	case "compact_summary":
		return &in.CompactSummary
	case "reason":
		return &in.Reason
	case "prompt":
		return &in.Prompt
	case "tool_name":
		return &in.ToolName
	case "tool_use_id":
		return &in.ToolUseID
	case "error":
		return &in.Error
	case "last_assistant_message":
		return &in.LastAssistantMessage
	case "agent_transcript_path":
		return &in.AgentTranscriptPath
	case "task_subject":
		return &in.TaskSubject
	case "task_description":
		return &in.TaskDescription
	case "teammate_name":
		return &in.TeammateName
	case "notification_type":
		return &in.NotificationType
	case "file_path":
		return &in.FilePath
	}
	return nil
}

// set stores the value of a top-level key. A value of an unexpected kind is
// ignored: one odd field must not cost a hook all the others.
func (in *Input) set(key string, v Value) {
	if field := in.text(key); field != nil && v.Kind == String {
		*field = v.Text
		if v.Cut {
			in.CutFields = append(in.CutFields, key)
		}
	}
	switch key {
	case "is_interrupt":
		in.IsInterrupt = v.Bool()
	case "mcp_server":
		in.McpServer = McpServer{Name: v.String("name"), Source: v.String("source")}
	case "tool_input":
		in.ToolInput.take(v, Object)
	case "tool_response":
		in.ToolResponse.take(v, Object, Array, String)
	}
}

// take takes over a value of one of the kinds.
func (v *Value) take(other Value, kinds ...Kind) {
	if slices.Contains(kinds, other.Kind) {
		*v = other
	}
}

// wanted reports whether a top-level key has a place in Input at all.
func (in *Input) wanted(key string) bool {
	switch key {
	case "tool_input", "tool_response", "mcp_server", "is_interrupt":
		return true
	}
	return in.text(key) != nil
}
