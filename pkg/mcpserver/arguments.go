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

// listTool is the name of the tool whose schema has all kinds.
const listTool = "list_memories"

// addTool adds a tool and keeps the schema of its arguments: the types and descriptions are
// those of the struct, the limits come on top. The schema that a client loads into each session has no
// ranges, and the 14 kinds once: they cost 150 tokens there, and an argument beyond them is answered with the limit.
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
		panic("mcpserver: " + err.Error()) // the struct is wrong, and every test would see it
	}
	for name, limit := range limits {
		limit(schema.Properties[name])
	}
	return schema
}

// readArguments has the arguments of a call read by their tool's schema, and answers faults in our own words: of
// arguments with the one that is wrong, of names with those that exist.
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
				result := answer("%s", fault)
				result.IsError = true
				return result, nil
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

// noSuch is the error for a name that does not exist.
func noSuch(kind, name string, has ...string) error {
	text := fmt.Sprintf("there is no %s %q; there is %s", kind, harmless(memory.Cut(name, maxTitle)), strings.Join(has, ", "))
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}
