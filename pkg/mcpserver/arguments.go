package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
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
// limits. Clients load a shorter schema into each session, without ranges and with the kinds in one tool only, which
// saves 150 tokens. A call with an argument outside its range fails with the limit.
func addTool[In, Out any](t *tools, server *mcp.Server, tool *mcp.Tool, limits limits, handle func(context.Context, In) (Out, error)) {
	checked, err := limitedSchema[In](limits).Resolve(nil)
	if err != nil {
		panic("mcpserver: " + err.Error()) // a limit is wrong, which every test would find
	}
	t.arguments[tool.Name] = checked
	shown := limitedSchema[In](limits)
	for name, property := range shown.Properties {
		property.Minimum, property.Maximum, property.MinItems, property.MaxItems = nil, nil, nil, nil
		if name == "kinds" && tool.Name != listTool {
			property.Items.Enum = nil
		}
	}
	tool.InputSchema = shown
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := handle(ctx, in)
		return nil, out, err
	})
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

// readArguments returns a handler that checks the arguments of a call before next. An error names the invalid argument,
// or lists the existing tools if the name is unknown.
func (t *tools) readArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		params, isCall := request.GetParams().(*mcp.CallToolParamsRaw)
		if !isCall {
			return next(ctx, method, request)
		}
		schema := t.arguments[params.Name]
		if schema == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no tool %q; there is %s",
				harmless(memory.Cut(params.Name, maxTitle)), strings.Join(slices.Sorted(maps.Keys(t.arguments)), ", "))}
		}
		params.Arguments = ArgumentsOf(params.Arguments, schema.Schema())
		if fault := faultOf(params.Name, params.Arguments, schema); fault != "" {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fault}}, IsError: true}, nil
		}
		return next(ctx, method, request)
	}
}

// mostFault is the maximum number of bytes of an error about arguments, because it may quote a long argument.
const mostFault = 300

// faultOf returns which argument of a call violates the tool's schema, and the arguments that the tool has, or "".
func faultOf(tool string, given json.RawMessage, schema *jsonschema.Resolved) string {
	var members map[string]any
	if json.Unmarshal(given, &members) != nil {
		return tool + " needs its arguments as one JSON object"
	}
	err := schema.Validate(members)
	if err == nil {
		return ""
	}
	has := strings.Join(slices.Sorted(maps.Keys(schema.Schema().Properties)), ", ")
	return fmt.Sprintf("%s: %s. Its arguments are: %s", tool, harmless(memory.Cut(err.Error(), mostFault)), cmp.Or(has, "none"))
}
