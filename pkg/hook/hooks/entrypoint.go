package hooks

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
)

// programListens reports whether a program reads the model's last answer, as with `claude -p`. A question of ours would
// replace that answer.
func programListens(call *hook.Call) bool {
	return strings.HasPrefix(call.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk")
}
