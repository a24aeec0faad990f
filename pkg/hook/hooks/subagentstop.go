package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// SubagentStop records a subagent's report. It never returns output, which would make the subagent run again.
var SubagentStop = hook.Hook{
	Event: hookio.SubagentStop,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		if call.Input.AgentType == "" { // the fork that writes a compaction's summary
			return hookio.Output{}, nil
		}
		task := taskIn(call.Input.AgentTranscriptPath)
		return hookio.Output{}, store(ctx, call, describe.SubagentReport(call.Occurrence(), call.Input.AgentType, task, call.Input.LastAssistantMessage))
	},
}

// taskIn returns the subagent's task from the first line of its transcript, or "", because the format is internal to the
// client and changes.
func taskIn(transcript string) string {
	first := client.FirstLine(transcript)
	if first.String("type") != "user" {
		return ""
	}
	return first.String("message", "content")
}
