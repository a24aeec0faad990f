package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PostToolUse records tool calls: changed files, reports of subagents, the user's answers to questions, accepted plans,
// shell commands that install, build, test, deploy or migrate, and all commands while one is failing. Of other tools it
// records a short text.
var PostToolUse = hook.Hook{
	Event: hookio.PostToolUse,
	Run: func(ctx context.Context, call *hook.Call) (hookio.Output, error) {
		occurrence := call.Occurrence()
		event := describe.ToolUse(occurrence, func(succeeded string) bool { return mayBeFix(call, succeeded) })
		return hookio.Output{}, store(ctx, call, append(describe.Answers(occurrence), event)...)
	},
}
