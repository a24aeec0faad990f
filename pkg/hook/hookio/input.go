// Package hookio decodes the JSON that Claude Code writes to a hook's standard input, and encodes the JSON that Claude
// Code reads from a hook's standard output.
//
// It only translates: it starts nothing, reads no file, keeps no state and does not interpret events. It does not trust its
// input: every size is bounded, and a document that ends too early or is not JSON still yields the fields before the damage.
//
// The field names and outputs follow the docs and observation of Claude Code 2.1.329. The recorded inputs are in
// testdata/hook-input.
package hookio

import "reflect"

// Values of hook_event_name. Events of newer clients are missing: the plugin must not register them, because an older
// client drops a whole plugin over one unknown name.
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

// Input has the fields of a hook's input that hooks read, for all events together. A field that an event does not send
// is empty. The fields' comments name the events that send them; a field without such a comment is sent by every event.
type Input struct {
	SessionID      string `json:"session_id"`      // a UUID; kept over resume and compaction, new after /clear and fork
	TranscriptPath string `json:"transcript_path"` // the file may not exist yet, and lags behind the event
	CWD            string `json:"cwd"`             // the session's current directory; follows cd
	HookEventName  string `json:"hook_event_name"`

	AgentID   string `json:"agent_id"`   // set only inside a subagent and on SubagentStart, SubagentStop, TeammateIdle
	AgentType string `json:"agent_type"` // "" on the SubagentStop of a compaction

	Source string `json:"source"` // UserPromptSubmit: user, sdk, system, loop_wakeup, ...; SessionStart: startup, resume, clear, compact, fork

	Trigger        string `json:"trigger"`         // Setup: init, maintenance; PreCompact, PostCompact: manual, auto
	CompactSummary string `json:"compact_summary"` // PostCompact; still with its analysis and summary tags
	Reason         string `json:"reason"`          // SessionEnd: clear, resume, logout, prompt_input_exit, other; PermissionDenied

	Prompt string `json:"prompt"` // UserPromptSubmit (also machine text such as <task-notification>), UserPromptExpansion

	ToolName     string `json:"tool_name"`     // tool events and PermissionRequest
	ToolUseID    string `json:"tool_use_id"`   // tool events, not PermissionRequest
	ToolInput    Value  `json:"tool_input"`    // tool events and PermissionRequest; an object
	ToolResponse Value  `json:"tool_response"` // PostToolUse: an object, an array (MCP) or a string
	Error        string `json:"error"`         // PostToolUseFailure: "Exit code N\n..."; StopFailure: a code such as rate_limit
	IsInterrupt  bool   `json:"is_interrupt"`  // PostToolUseFailure
	McpServer    Value  `json:"mcp_server"`    // an MCP tool's server: an object with its name ("plugin:<plugin>:<server>" for a plugin's) and source

	LastAssistantMessage string `json:"last_assistant_message"` // Stop, SubagentStop; StopFailure: the text of the error
	AgentTranscriptPath  string `json:"agent_transcript_path"`  // SubagentStop

	TaskSubject     string `json:"task_subject"`     // TaskCreated, TaskCompleted
	TaskDescription string `json:"task_description"` // TaskCreated, TaskCompleted
	TeammateName    string `json:"teammate_name"`    // TaskCreated, TaskCompleted, TeammateIdle

	NotificationType string `json:"notification_type"` // Notification: permission_prompt, idle_prompt, ...

	// CutFields lists the top-level JSON fields, such as "prompt", whose text was too long and lost its middle. Cuts
	// inside ToolInput and ToolResponse are marked on their values.
	CutFields []string `json:"-"`
}

// fields returns pointers to the fields by their JSON names.
func (in *Input) fields() map[string]any {
	fields := map[string]any{}
	all := reflect.ValueOf(in).Elem()
	for i := range all.NumField() {
		fields[all.Type().Field(i).Tag.Get("json")] = all.Field(i).Addr().Interface()
	}
	return fields
}

// set stores a value in a field. It ignores a value of an unexpected kind: one odd field must not cost the whole input.
func (in *Input) set(field any, key string, v Value) {
	switch field := field.(type) {
	case *string:
		if key == "prompt" && v.Kind == Array {
			v = Value{Kind: String, Text: v.Message()}
		}
		if v.Kind != String {
			return
		}
		*field = v.Text
		if v.Cut {
			in.CutFields = append(in.CutFields, key)
		}
	case *bool:
		*field = v.Bool()
	case *Value:
		if v.Kind == Object || key == "tool_response" && (v.Kind == Array || v.Kind == String) {
			*field = v
		}
	}
}
