package hooks

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PostToolUse records tool calls: changed files, the shell commands that install, build, test, deploy or migrate, all that are run
// while one is failing, the reports of subagents, the user's answers to the assistant's questions, accepted plans, and in a few
// words the calls of other tools.
var PostToolUse = hook.Hook{
	Name:     "post-tool-use",
	Event:    hookio.PostToolUse,
	Deadline: hook.Capture,
	Run:      runPostToolUse,
}

func runPostToolUse(ctx context.Context, call *hook.Call) (hookio.Output, error) {
	occurrence := call.Occurrence()
	event := describe.ToolUse(occurrence, func(succeeded string) bool { return mayBeFix(call, succeeded) })
	return hookio.Output{}, store(ctx, call, append(describe.Answers(occurrence), event)...)
}
