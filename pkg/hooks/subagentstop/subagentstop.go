// Package subagentstop keeps what a subagent found out.
package subagentstop

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Hook records a subagent's report. It never returns anything: any output would
// send the subagent to work again.
var Hook = hook.Hook{
	Name:     "subagent-stop",
	Event:    hookio.SubagentStop,
	Deadline: func(h config.Hooks) time.Duration { return h.SubagentStop.Deadline },
	Run:      run,
}

func run(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	if call.Input.AgentType == "" { // the fork that writes a compaction's summary
		return hookio.Output{}, nil
	}
	return hookio.Output{}, capture.Report(ctx, call, memory.EventSubagentReported, call.Input.AgentType, call.Input.LastAssistantMessage)
}
