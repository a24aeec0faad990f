package hooks

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// SubagentStop records a subagent's report. It never returns output, which would make the subagent run again.
var SubagentStop = hook.Hook{
	Name:     "subagent-stop",
	Event:    hookio.SubagentStop,
	Deadline: hook.UsualDeadline,
	Run:      runSubagentStop,
}

func runSubagentStop(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	if call.Input.AgentType == "" { // the fork that writes a compaction's summary
		return hookio.Output{}, nil
	}
	task := taskIn(call.Input.AgentTranscriptPath)
	return hookio.Output{}, store(ctx, call, describe.SubagentReport(call.Occurrence(), call.Input.AgentType, task, call.Input.LastAssistantMessage))
}

// maxHead is the number of bytes that are read of a transcript's beginning.
const maxHead = 64 << 10

// taskIn returns the subagent's task from the first line of its transcript. A missing file or a line that cannot be
// parsed gives "", because the format is internal to the client and changes.
func taskIn(transcript string) string {
	file, err := os.Open(transcript)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	line, err := bufio.NewReader(io.LimitReader(file, maxHead)).ReadBytes('\n')
	if err != nil {
		return ""
	}
	first, err := hookio.ParseObject(line)
	if err != nil || first.String("type") != "user" {
		return ""
	}
	return first.String("message", "content")
}
