package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PermissionRequest allows the model the plugin's own memory tools without asking the user each time. It decides
// nothing about other tools.
var PermissionRequest = hook.Hook{
	Event: hookio.PermissionRequest,
	Run: func(_ context.Context, call *hook.Call) (hookio.Output, error) {
		tool, ours := strings.CutPrefix(call.Input.ToolName, client.OwnTools)
		server := call.Input.McpServer
		if !ours || !slices.Contains(allowedTools, tool) || !isWhole(call) || server.String("name") != OwnServer || server.String("source") != OwnSource {
			return hookio.Output{}, nil
		}
		return hookio.Allow(), nil
	},
}

// OwnServer and OwnSource are the client's name for this plugin's MCP server, and its source. A repository can
// configure a server of the same name, but its source is not a plugin. Only a request with both is allowed.
const (
	OwnServer = "plugin:surrealdb-memory:memory"
	OwnSource = "plugin"
)

// allowedTools lists the tools that only read memories or add one. The client asks the user about a tool that changes a memory.
var allowedTools = []string{
	"store_memory", "recall_memories", "search_memories", "list_memories", "get_memories",
}

// isWhole reports whether the input is complete: a cut input does not show the whole call.
func isWhole(call *hook.Call) bool {
	return call.InputErr == nil && len(call.Input.CutFields) == 0 && !isCut(call.Input.ToolInput)
}

func isCut(v hookio.Value) bool {
	return v.Cut || slices.ContainsFunc(v.Items, isCut) ||
		slices.ContainsFunc(v.Fields, func(f hookio.Field) bool { return isCut(f.Value) })
}
