package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// leastStart is about the number of tokens of a start's tags and introduction: with fewer there is room for no memory.
const leastStart = 100

// showStart prints the text with which the next session of a project starts. It fails with memory.ErrUnavailable if
// the daemon could not look anything up.
func showStart(ctx context.Context, e *environment, where project.Project) error {
	if why := e.silence(where); why != "" {
		return e.Print(daemonapi.ContextResult{}, func(w io.Writer) { _, _ = fmt.Fprintf(w, "nothing: %s\n", why) })
	}
	result, err := daemonapi.MethodSessionContext.Ask(ctx, e.Daemon.Call, daemonapi.SessionContextParams{
		Project: where.Key, Root: where.Root, TokenBudget: e.Config.Hooks.SessionStartTokens,
		WaitMS: int(callTime.Milliseconds()),
	})
	if err != nil {
		return err
	}
	if result.Trouble != nil && result.Encoding == "" { // the daemon could not look anything up
		return memory.Mark(errors.New(result.Trouble.String()), memory.ErrUnavailable)
	}
	return e.Print(result, func(w io.Writer) {
		if budget := e.Config.Hooks.SessionStartTokens; result.Items == 0 && budget < leastStart {
			_, _ = fmt.Fprintf(w, "nothing: a start of %d tokens has no room; memory config set hooks.session_start.token_budget VALUE gives it more\n", budget)
			return
		}
		if result.Items == 0 {
			_, _ = fmt.Fprintf(w, "nothing yet: %s has no memories that are shown at a session's start\n", terminal.Printable(where.Name))
			return
		}
		_, _ = fmt.Fprintf(w, "%s%d of %d tokens (%s), %s\n", strings.ReplaceAll(result.Text, "\t", "    "),
			result.Tokens, result.Budget, result.Encoding, memory.Counted(result.Items, "item"))
	})
}
