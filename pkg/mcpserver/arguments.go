package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// listTool is the name of the tool whose shown schema lists all kinds.
const listTool = "list_memories"

// addTool adds a tool with the schema of its arguments: types and descriptions come from the struct In, ranges from
// limits. Clients load a shorter schema into each session, without ranges and with the kinds only once, which saves
// 150 tokens. A call with an argument outside its range fails with the limit.
func addTool[In, Out any](t *tools, server *mcp.Server, tool *mcp.Tool, limits limits, handle mcp.ToolHandlerFor[In, Out]) {
	t.arguments[tool.Name] = limitedSchema[In](limits)
	shown := limitedSchema[In](limits)
	for name, property := range shown.Properties {
		property.Minimum, property.Maximum, property.MinItems, property.MaxItems = nil, nil, nil, nil
		if name == "kinds" && tool.Name != listTool {
			property.Items.Enum = nil
		}
	}
	tool.InputSchema = shown
	mcp.AddTool(server, tool, handle)
}

func limitedSchema[In any](limits limits) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic("mcpserver: " + err.Error()) // the struct is wrong, which every test would find
	}
	for name, limit := range limits {
		limit(schema.Properties[name])
	}
	return schema
}

// readArguments returns a handler that checks a call before next. An error names the invalid argument, or lists the
// existing tools, resources or prompts if the name is unknown.
func (t *tools) readArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		switch params := request.GetParams().(type) {
		case *mcp.CallToolParamsRaw:
			schema := t.arguments[params.Name]
			if schema == nil {
				return nil, noSuch("tool", params.Name, slices.Sorted(maps.Keys(t.arguments))...)
			}
			params.Arguments = argumentsOf(params.Arguments, schema)
			if fault := faultOf(params.Name, params.Arguments, schema); fault != "" {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fault}}, IsError: true}, nil
			}
		case *mcp.ReadResourceParams:
			if params.URI != ContextURI {
				return nil, noSuch("resource", params.URI, ContextURI)
			}
		case *mcp.GetPromptParams:
			if params.Name != reviewPrompt {
				return nil, noSuch("prompt", params.Name, reviewPrompt)
			}
		}
		return next(ctx, method, request)
	}
}

// noSuch returns the error about an unknown name, with the existing names.
func noSuch(kind, name string, has ...string) error {
	text := fmt.Sprintf("there is no %s %q; there is %s", kind, harmless(memory.Cut(name, maxTitle)), strings.Join(has, ", "))
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}
