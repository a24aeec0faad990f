package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTool adds a tool and keeps the schema of its arguments: the types and descriptions are
// those of the struct, the limits come on top.
func addTool[In, Out any](t *tools, server *mcp.Server, tool *mcp.Tool, limits limits, handle mcp.ToolHandlerFor[In, Out]) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic("mcpserver: " + err.Error()) // the struct is wrong, and every test would see it
	}
	for name, limit := range limits {
		limit(schema.Properties[name])
	}
	tool.InputSchema, t.arguments[tool.Name] = schema, schema
	mcp.AddTool(server, tool, handle)
}

// readArguments has the arguments of a call read by their tool's schema, and answers one with an unknown
// argument by naming the argument that was meant: the SDK only says that there is one too many.
func (t *tools) readArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if call, is := request.GetParams().(*mcp.CallToolParamsRaw); is {
			call.Arguments = argumentsOf(call.Arguments, t.arguments[call.Name])
			if wrong := unknownArguments(call, t.arguments[call.Name]); wrong != "" {
				result := answer("%s", wrong)
				result.IsError = true
				return result, nil
			}
		}
		return next(ctx, method, request)
	}
}

// unknownArguments lists the arguments of a call that its tool does not have, and those that it has;
// empty: it has all.
func unknownArguments(call *mcp.CallToolParamsRaw, schema *jsonschema.Schema) string {
	var given map[string]json.RawMessage
	if schema == nil || json.Unmarshal(call.Arguments, &given) != nil {
		return "" // the SDK says so
	}
	var wrong, has []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] == nil {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) {
			name += " (required)"
		}
		has = append(has, name)
	}
	text := fmt.Sprintf("%s has no argument %q", call.Name, harmless(wrong[0]))
	if meant := meantArgument(wrong[0], given, schema); meant != "" {
		text += fmt.Sprintf("; did you mean %q?", meant)
	} else {
		text += "."
	}
	if len(has) == 0 {
		return text + " It has none."
	}
	return text + " It has " + strings.Join(has, ", ") + "."
}

// meantArgument is the argument that an unknown one stands for: one whose name contains the other's, or else the required
// one that is missing, or the only one of that type; empty if that is not clear.
func meantArgument(wrong string, given map[string]json.RawMessage, schema *jsonschema.Schema) string {
	var near, missing, alike []string
	for name, has := range schema.Properties {
		if _, isGiven := given[name]; isGiven {
			continue
		}
		if lower := strings.ToLower(wrong); strings.Contains(name, lower) || strings.Contains(lower, name) {
			near = append(near, name)
		}
		if slices.Contains(schema.Required, name) {
			missing = append(missing, name)
		}
		if has.Type == "string" && strings.HasPrefix(string(given[wrong]), `"`) {
			alike = append(alike, name)
		}
	}
	for _, names := range [][]string{near, missing, alike} {
		if len(names) == 1 {
			return names[0]
		}
	}
	return ""
}
