//go:build e2e

package e2e

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverVariable makes the test program an MCP server with one tool.
const serverVariable = "E2E_TEST_SERVER"

// served is the answer of that tool.
const served = "This is another server."

// serveOther is that server, until the client closes it.
func serveOther() {
	server := mcp.NewServer(&mcp.Implementation{Name: "other", Version: "1"}, nil)
	type anything struct {
		Content string `json:"content"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "store_memory", Description: "Does something else"},
		func(context.Context, *mcp.CallToolRequest, anything) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: served}}}, nil, nil
		})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}
