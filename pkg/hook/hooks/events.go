package hooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// Notification counts the client's notifications.
var Notification = hook.Hook{
	Event: hookio.Notification,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return hookio.Output{}, report(ctx, call, memory.EventNotified, call.Input.NotificationType, call.Input.NotificationType)
	},
}

// PreCompact records that a compaction begins: what was said before it leaves the context.
var PreCompact = hook.Hook{
	Event: hookio.PreCompact,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		event := describe.New(call.Occurrence(), memory.EventCompacting)
		event.Source = call.Input.Trigger
		return hookio.Output{}, store(ctx, call, event)
	},
}

// PostCompact records the summary that a compaction made. It describes the session so far without a further call of a model.
var PostCompact = hook.Hook{
	Event: hookio.PostCompact,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return hookio.Output{}, report(ctx, call, memory.EventCompacted, call.Input.Trigger,
			describe.CompactionSummary(call.Input.CompactSummary))
	},
}

// PostToolUse records tool calls: changed files, reports of subagents, the user's answers to questions, accepted plans,
// and, while a shell command is failing, the commands that may be its fix. Of other tools it records a short text.
var PostToolUse = hook.Hook{
	Event: hookio.PostToolUse,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		endCall(call)
		markScheduled(call)
		occurrence := call.Occurrence()
		event := describe.ToolUse(occurrence, func(succeeded string) bool { return mayBeFix(call, succeeded) })
		return hookio.Output{}, store(ctx, call, append(answers(call, occurrence), event)...)
	},
}

// answers returns the user's answers to a call of AskUserQuestion. It returns none in a project with a hook that may have answered instead.
func answers(call *hook.Call, occurrence describe.Occurrence) []memory.Event {
	given := describe.Answers(occurrence)
	if given != nil && slices.ContainsFunc([]string{hookio.PreToolUse, hookio.PermissionRequest}, func(event string) bool {
		return consent.HasHook(call.Project, event, call.Input.ToolName)
	}) {
		return nil
	}
	return given
}

// PostToolUseFailure records shell commands that failed, and gives the model earlier fixes of the same failure. (A
// failing command never reaches PostToolUse.)
var PostToolUseFailure = hook.Hook{
	Event: hookio.PostToolUseFailure,
	Run:   runPostToolUseFailure,
}

func runPostToolUseFailure(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	endCall(call)
	event := describe.ToolFailure(call.Occurrence())
	if event.ID == "" {
		return hookio.Output{}, nil
	}
	markFailing(call, call.Input.ToolInput.String("command"))
	return recallAndStore(ctx, call, daemonapi.RecallParams{
		Purpose: daemonapi.ForFailure, Command: memory.CommandKey(event.Command), Text: event.Error,
		TokenBudget: call.Config.Hooks.FailureTokens,
	}, event)
}

// Stop records the assistant's last words. It never returns context, which would force another turn each time.
var Stop = hook.Hook{
	Event: hookio.Stop,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		err := report(ctx, call, memory.EventTurnEnded, "", call.Input.LastAssistantMessage)
		endCalls(call)
		markIdle(call)
		return hookio.Output{}, err
	},
}

// StopFailure counts the turns that an API error ended.
var StopFailure = hook.Hook{
	Event: hookio.StopFailure,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		endCalls(call)
		markIdle(call)
		return hookio.Output{}, report(ctx, call, memory.EventTurnFailed, call.Input.Error, call.Input.Error)
	},
}

// SubagentStart gives a starting subagent the memories that fit its task, which the daemon knows from PreToolUse.
var SubagentStart = hook.Hook{
	Event: hookio.SubagentStart,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		return recall(ctx, call, daemonapi.RecallParams{
			Purpose: daemonapi.ForSubagent, Text: call.Input.AgentType, TokenBudget: call.Config.Hooks.SubagentTokens,
		})
	},
}

// SubagentStop records a subagent's report. It never returns output, which would make the subagent run again.
var SubagentStop = hook.Hook{
	Event: hookio.SubagentStop,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		endCalls(call)
		if call.Input.AgentType == "" { // the fork that writes a compaction's summary
			return hookio.Output{}, nil
		}
		task := taskIn(call.Input.AgentTranscriptPath)
		return hookio.Output{}, store(ctx, call, describe.SubagentReport(call.Occurrence(), call.Input.AgentType, task, call.Input.LastAssistantMessage))
	},
}

// taskIn returns the subagent's task from the first line of its transcript, or "" if the client has changed the format.
func taskIn(transcript string) string {
	first := client.FirstLine(transcript)
	if first.String("type") != "user" {
		return ""
	}
	return first.String("message", "content")
}

// TaskCompleted records a completed task.
var TaskCompleted = hook.Hook{
	Event: hookio.TaskCompleted,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		text := call.Input.TaskSubject
		if call.Input.TaskDescription != "" {
			text += ": " + call.Input.TaskDescription
		}
		return hookio.Output{}, report(ctx, call, memory.EventTaskCompleted, call.Input.TeammateName, text)
	},
}

// TeammateIdle makes the daemon run maintenance while a teammate is idle, at most once in the configured interval.
var TeammateIdle = hook.Hook{
	Event:    hookio.TeammateIdle,
	Deadline: func(h config.Hooks) time.Duration { return 2 * h.Deadline },
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		err := call.Daemon().Notify(ctx, daemonapi.MethodIdle.Call(daemonapi.None{}, nil))
		if errors.Is(err, daemonclient.ErrNoDaemon) {
			err = call.Daemon().Start() // the daemon catches up on missed maintenance
		}
		return hookio.Output{}, err
	},
}

// SessionEnd records the end of a session, whether a person ran it, and the path of its transcript. The daemon reads the
// transcript, because the client gives all SessionEnd hooks together 1.5 s.
var SessionEnd = hook.Hook{
	Event:    hookio.SessionEnd,
	Deadline: func(h config.Hooks) time.Duration { return 3 * h.Deadline },
	Run:      runSessionEnd,
}

func runSessionEnd(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	o := call.Occurrence()
	event := describe.New(o, memory.EventSessionEnded)
	event.Reason, event.Transcript, event.ByUser = call.Input.Reason, describe.Name(call.Input.TranscriptPath), o.Line.IsTyped()
	err := put(call, event)
	deleteMarkers(call)
	return hookio.Output{}, errors.Join(err, wake(ctx, call))
}
