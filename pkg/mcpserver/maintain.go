package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type statusInput struct{}

type statusOutput struct {
	Daemon  string         `json:"daemon" jsonschema:"ready, starting, or waiting for its database"`
	Reason  string         `json:"reason,omitempty"`
	Engine  string         `json:"engine"`
	Project string         `json:"project"`
	Session string         `json:"session"`
	Off     bool           `json:"off" jsonschema:"whether the user has switched the memory off for this project"`
	Waiting int            `json:"waiting" jsonschema:"number of events that are not in the database yet"`
	Dead    int            `json:"dead" jsonschema:"number of events that cannot be stored"`
	Counts  map[string]int `json:"counts,omitempty" jsonschema:"number of rows in the whole store, by table"`
}

func (t *tools) addMaintaining(server *mcp.Server) {
	addTool(t, server, reads("memory_status", "Memory status",
		"State of the memory: whether its daemon and database answer, how much is stored, and whether events wait or failed."), nil, t.status)
}

func (t *tools) status(ctx context.Context, _ *mcp.CallToolRequest, _ statusInput) (*mcp.CallToolResult, statusOutput, error) {
	out := statusOutput{Project: t.Project.Name, Session: t.Session, Off: t.off() != ""}
	var status daemonapi.StatusResult
	if err := t.daemon.callWithin(ctx, callTime, daemonapi.MethodStatus.Call(daemonapi.None{}, &status)); err != nil {
		return nil, out, explain(err)
	}
	out.Daemon, out.Reason = status.State, harmless(status.Reason)
	out.Engine = status.Engine.Name
	out.Waiting, out.Dead = status.Spool.New+status.Spool.Claimed, status.Spool.Dead
	if s := status.Store; s != nil {
		out.Counts = map[string]int{
			"memories": s.Memories, "sessions": s.Sessions, "prompts": s.Prompts,
			"projects": s.Projects, "runs": s.Runs,
		}
	}
	return nil, out, nil
}
