package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// Agent answers the calls that the CLI and the MCP server make, too: the pages have no
// other way to the memories.
type Agent interface {
	Ask(ctx context.Context, call agentapi.Call) error
}

// ask calls a method of the agent.
func ask[P, R any](ctx context.Context, a Agent, method agentapi.Method[P, R], params P) (R, error) {
	var result R
	err := a.Ask(ctx, method.Call(params, &result))
	return result, err
}
