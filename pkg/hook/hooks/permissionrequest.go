package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
)

// PermissionRequest lets the model use this plugin's own memory tools without asking the user each time. It decides nothing about
// other tools.
var PermissionRequest = hook.Hook{
	Name:     "permission-request",
	Event:    hookio.PermissionRequest,
	Deadline: hook.Capture,
	Run:      runPermissionRequest,
}

// OwnToolPrefix is how the client names the tools of this plugin's MCP server.
const OwnToolPrefix = "mcp__plugin_surrealdb-memory_memory__"

// OwnServer and Source are how the client names that server itself, and where it has it
// from. A repository can configure a server of the same name, but that server's source
// is not a plugin. A request without both is not allowed here.
const (
	OwnServer = "plugin:surrealdb-memory:memory"
	OwnSource = "plugin"
)

// allowedTools are those that read, add, or have the rules run. About one that changes a memory the client asks the user.
var allowedTools = []string{
	"store_memory", "recall_memories", "search_memories", "list_memories", "get_memories",
	"memory_status",
}

func runPermissionRequest(_ context.Context, call *hook.Call) (hookio.Output, error) {
	tool, ours := strings.CutPrefix(call.Input.ToolName, OwnToolPrefix)
	if !ours || !slices.Contains(allowedTools, tool) || !isWhole(call) ||
		call.Input.McpServer != (hookio.McpServer{Name: OwnServer, Source: OwnSource}) {
		return hookio.Output{}, nil
	}
	return hookio.Allow(), nil
}

// isWhole reports whether the input is complete: a part of it does not show the call that would
// be allowed.
func isWhole(call *hook.Call) bool {
	return call.InputErr == nil && len(call.Input.CutFields) == 0 && !isCut(call.Input.ToolInput)
}

func isCut(v hookio.Value) bool {
	return v.Cut || slices.ContainsFunc(v.Items, isCut) ||
		slices.ContainsFunc(v.Fields, func(f hookio.Field) bool { return isCut(f.Value) })
}
