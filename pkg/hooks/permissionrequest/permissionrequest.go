// Package permissionrequest lets the model use this plugin's own memory tools
// without asking the user each time. Of any other tool it has no opinion.
package permissionrequest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Hook allows exactly the tools of this plugin's server.
var Hook = hook.Hook{
	Name:     "permission-request",
	Event:    hookio.PermissionRequest,
	Deadline: func(h config.Hooks) time.Duration { return h.PermissionRequest.Deadline },
	Run:      run,
}

// ToolPrefix is how the client names the tools of this plugin's MCP server.
const ToolPrefix = "mcp__plugin_surrealdb-memory_memory__"

// Server is how the client names that server itself. A server that a repository
// configures can be named so that its tools look like ours, but not like this. An
// older client does not tell.
const Server = "plugin:surrealdb-memory:memory"

// tools are the ones that lose nothing: they read, add, or change what can be
// put back.
var tools = []string{
	"store_memory", "recall_memories", "search_memories", "get_memories", "memory_timeline", "update_memory", "tag_memory",
	"promote_memory", "forget_memory", "restore_memory", "reflect_and_consolidate", "memory_status",
}

func run(_ context.Context, call *hook.Call) (hookio.Output, error) {
	tool, ours := strings.CutPrefix(call.Input.ToolName, ToolPrefix)
	server := call.Input.McpServer.Name
	if !ours || !slices.Contains(tools, tool) || server != "" && server != Server {
		return hookio.Output{}, nil
	}
	return hookio.Allow(), nil
}
