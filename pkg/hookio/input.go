package hookio

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

// Input is the input of a hook, for all events together: a field that an event does not
// send is empty. The fields' comments name the events that send them; where none is
// named, every event does.
type Input struct {
	SessionID      string // a UUID; kept over resume and compaction, new after /clear and fork
	TranscriptPath string // the file may not exist yet, and lags behind the event
	CWD            string // the session's current directory; follows cd
	HookEventName  string
	PromptID       string // absent before the first prompt of the process
	PermissionMode string // tool events, prompts, Stop, SubagentStop, PermissionRequest, TeammateIdle
	Effort         string // effort.level, only for models that have it

	AgentID   string // set only inside a subagent and on SubagentStart, SubagentStop, TeammateIdle
	AgentType string // "" on the SubagentStop of a compaction
	// ParentAgentID is sent by Copilot CLI and Cursor alone, of a subagent: the session of whoever started it.
	ParentAgentID string
	// Workspace is the first folder of Cursor's workspace; it sends no directory with most events.
	Workspace string

	Source                   string  // SessionStart: startup, resume, clear, compact, fork; ConfigChange; model switches
	Model                    string  // SessionStart, interactive and after compaction only
	SessionTitle             string  // SessionStart, UserPromptSubmit
	SecondsSinceLastResponse float64 // SessionStart on resume and fork
	ContextTokens            int64   // SessionStart on resume and fork, model switches

	Trigger            string // Setup: init, maintenance; PreCompact, PostCompact: manual, auto
	CustomInstructions string // PreCompact; "" also for null
	CompactSummary     string // PostCompact; still with its analysis and summary tags
	Reason             string // SessionEnd: clear, resume, logout, prompt_input_exit, other; PermissionDenied

	Prompt        string // UserPromptSubmit (also machine text such as <task-notification>), UserPromptExpansion
	ExpansionType string // UserPromptExpansion
	CommandName   string // UserPromptExpansion
	CommandArgs   string // UserPromptExpansion
	CommandSource string // UserPromptExpansion

	ToolName              string // tool events and PermissionRequest
	ToolUseID             string // tool events, not PermissionRequest
	ToolInput             Value  // tool events and PermissionRequest; an object
	ToolResponse          Value  // PostToolUse: an object, an array (MCP) or a string
	DurationMS            int64  // PostToolUse, PostToolUseFailure; milliseconds
	Error                 string // PostToolUseFailure: "Exit code N\n..."; StopFailure: a code such as rate_limit
	IsInterrupt           bool   // PostToolUseFailure
	McpServer             McpServer
	PermissionSuggestions Value      // PermissionRequest; an array
	ToolCalls             []ToolCall // PostToolBatch

	StopHookActive       bool             // Stop, SubagentStop: this turn was forced by a hook
	LastAssistantMessage string           // Stop, SubagentStop; StopFailure: the text of the error
	AgentTranscriptPath  string           // SubagentStop
	BackgroundTasks      []BackgroundTask // Stop, SubagentStop
	SessionCrons         []SessionCron    // Stop, SubagentStop
	ErrorDetails         string           // StopFailure

	TaskID          string // TaskCreated, TaskCompleted
	TaskSubject     string // TaskCreated, TaskCompleted
	TaskDescription string // TaskCreated, TaskCompleted
	TeammateName    string // TaskCreated, TaskCompleted, TeammateIdle
	TeamName        string // deprecated by the client, still sent on TeammateIdle

	Message          string // Notification
	Title            string // Notification
	NotificationType string // Notification: permission_prompt, idle_prompt, ...

	FilePath   string // InstructionsLoaded, ConfigChange, FileChanged
	MemoryType string // InstructionsLoaded: User, Project, Local, Managed
	LoadReason string // InstructionsLoaded
	OldCWD     string // CwdChanged
	NewCWD     string // CwdChanged

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

// ToolCall is one call of a PostToolBatch. ToolResponse is the text, or the
// content blocks, that the model sees and not the structured object.
type ToolCall struct {
	ToolName     string
	ToolUseID    string
	ToolInput    Value
	ToolResponse Value
}

// BackgroundTask is work that goes on after a Stop. Fields that do not apply to
// its Type are empty.
type BackgroundTask struct {
	ID          string
	Type        string
	Status      string
	Description string
	Command     string
	AgentType   string
	Server      string
	Tool        string
	Name        string
}

// SessionCron is a prompt the session will submit on a schedule.
type SessionCron struct {
	ID        string
	Schedule  string
	Recurring bool
	Prompt    string
}

// text returns where the string of a top-level key goes, or nil.
func (in *Input) text(key string) *string {
	switch key {
	case "session_id", "sessionId", "conversation_id": // on Copilot CLI's SubagentStart; Cursor's
		return &in.SessionID
	case "transcript_path":
		return &in.TranscriptPath
	case "cwd":
		return &in.CWD
	case "hook_event_name":
		return &in.HookEventName
	case "prompt_id":
		return &in.PromptID
	case "permission_mode":
		return &in.PermissionMode
	case "agent_id":
		return &in.AgentID
	case "parent_agent_id", "parent_conversation_id": // the latter is Cursor's
		return &in.ParentAgentID
	case "agent_type", "subagent_type": // the latter is Cursor's
		return &in.AgentType
	case "source":
		return &in.Source
	case "model":
		return &in.Model
	case "session_title":
		return &in.SessionTitle
	case "trigger":
		return &in.Trigger
	case "custom_instructions":
		return &in.CustomInstructions
	case "compact_summary":
		return &in.CompactSummary
	case "reason", "failure_type": // the latter is Cursor's
		return &in.Reason
	case "prompt":
		return &in.Prompt
	case "expansion_type":
		return &in.ExpansionType
	case "command_name":
		return &in.CommandName
	case "command_args":
		return &in.CommandArgs
	case "command_source":
		return &in.CommandSource
	case "tool_name":
		return &in.ToolName
	case "tool_use_id":
		return &in.ToolUseID
	case "error", "error_message": // the latter is Cursor's
		return &in.Error
	case "error_details":
		return &in.ErrorDetails
	case "last_assistant_message", "prompt_response", "text", "summary": // Gemini CLI's; Cursor's, of a turn and of a subagent
		return &in.LastAssistantMessage
	case "agent_transcript_path":
		return &in.AgentTranscriptPath
	case "task_id":
		return &in.TaskID
	case "task_subject":
		return &in.TaskSubject
	case "task_description", "task": // the latter is Cursor's
		return &in.TaskDescription
	case "teammate_name":
		return &in.TeammateName
	case "team_name":
		return &in.TeamName
	case "message":
		return &in.Message
	case "title":
		return &in.Title
	case "notification_type":
		return &in.NotificationType
	case "file_path":
		return &in.FilePath
	case "memory_type":
		return &in.MemoryType
	case "load_reason":
		return &in.LoadReason
	case "old_cwd":
		return &in.OldCWD
	case "new_cwd":
		return &in.NewCWD
	}
	return nil
}

// set stores the value of a top-level key. A value of an unexpected kind is
// ignored: one odd field must not cost a hook all the others.
func (in *Input) set(key string, v Value) {
	switch v.Kind {
	case String:
		in.setString(key, v)
	case Number:
		in.setNumber(key, v)
	case Bool:
		in.setBool(key, v.True)
	case Array:
		in.setArray(key, v)
	case Object:
		in.setObject(key, v)
	case Missing, Null:
	}
}

func (in *Input) setString(key string, v Value) {
	if key == "tool_response" || key == "tool_output" { // the latter is Cursor's
		in.ToolResponse = v
		return
	}
	field := in.text(key)
	if field == nil {
		return
	}
	*field = v.Text
	if v.Cut {
		in.CutFields = append(in.CutFields, key)
	}
}

func (in *Input) setNumber(key string, v Value) {
	switch key {
	case "duration_ms":
		in.DurationMS = v.Int()
	case "context_tokens":
		in.ContextTokens = v.Int()
	case "seconds_since_last_response":
		in.SecondsSinceLastResponse = v.Float()
	}
}

func (in *Input) setBool(key string, b bool) {
	switch key {
	case "is_interrupt":
		in.IsInterrupt = b
	case "stop_hook_active":
		in.StopHookActive = b
	}
}

func (in *Input) setObject(key string, v Value) {
	switch key {
	case "tool_input":
		in.ToolInput = v
	case "tool_response", "tool_result": // the latter is Copilot CLI's
		in.ToolResponse = v
	case "mcp_server":
		in.McpServer = McpServer{Name: v.String("name"), Source: v.String("source")}
	case "effort":
		in.Effort = v.String("level")
	}
}

func (in *Input) setArray(key string, v Value) {
	switch key {
	case "tool_response":
		in.ToolResponse = v
	case "edits": // of Cursor's afterFileEdit
		in.ToolInput = v
	case "workspace_roots":
		if len(v.Items) > 0 {
			in.Workspace = v.Items[0].String()
		}
	case "permission_suggestions":
		in.PermissionSuggestions = v
	case "tool_calls":
		in.ToolCalls = listOf(v.Items, toolCall)
	case "background_tasks":
		in.BackgroundTasks = listOf(v.Items, backgroundTask)
	case "session_crons":
		in.SessionCrons = listOf(v.Items, sessionCron)
	}
}

// listOf reads each item of an array.
func listOf[T any](items []Value, read func(item Value) T) []T {
	list := make([]T, 0, len(items))
	for _, item := range items {
		list = append(list, read(item))
	}
	return list
}

func toolCall(item Value) ToolCall {
	return ToolCall{
		ToolName:     item.String("tool_name"),
		ToolUseID:    item.String("tool_use_id"),
		ToolInput:    item.Get("tool_input"),
		ToolResponse: item.Get("tool_response"),
	}
}

func backgroundTask(item Value) BackgroundTask {
	return BackgroundTask{
		ID:          item.String("id"),
		Type:        item.String("type"),
		Status:      item.String("status"),
		Description: item.String("description"),
		Command:     item.String("command"),
		AgentType:   item.String("agent_type"),
		Server:      item.String("server"),
		Tool:        item.String("tool"),
		Name:        item.String("name"),
	}
}

func sessionCron(item Value) SessionCron {
	return SessionCron{
		ID:        item.String("id"),
		Schedule:  item.String("schedule"),
		Recurring: item.Bool("recurring"),
		Prompt:    item.String("prompt"),
	}
}

// wanted reports whether a top-level key has a place in Input at all.
func (in *Input) wanted(key string) bool {
	switch key {
	case "tool_input", "tool_response", "tool_result", "tool_output", "edits", "workspace_roots", "mcp_server", "effort",
		"permission_suggestions", "tool_calls", "background_tasks", "session_crons",
		"duration_ms", "context_tokens", "seconds_since_last_response",
		"is_interrupt", "stop_hook_active":
		return true
	}
	return in.text(key) != nil
}
