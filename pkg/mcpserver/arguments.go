package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
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

// beyond matches how the schema's checker words a number outside its limits.
var beyond = regexp.MustCompile(`(?:maximum|minimum): (-?[0-9]+)/1 is (greater|less) than ([0-9]+)\.0+`)

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
	fault := strings.NewReplacer("validating root: ", "", "validating /properties/", "").Replace(err.Error())
	fault = beyond.ReplaceAllString(fault, "$1 is $2 than $3")
	return fmt.Sprintf("%s: %s. Its arguments are: %s", tool, harmless(memory.Cut(fault, mostFault)), cmp.Or(has, "none"))
}

// Models and clients may write an argument as a JSON string ("5", "[\"a\"]"), a list of one member as the member
// alone, and a missing argument as null. The schema decides how an argument is read. If it cannot be read, it stays
// as it is, and is refused because of its type.

// ArgumentsOf returns the arguments of a call in the types of their schema.
func ArgumentsOf(given json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	members := map[string]any{}
	if len(given) > 0 && json.Unmarshal(given, &members) != nil {
		return given
	}
	read := map[string]any{}
	for name, member := range members {
		if member = argument(member, schema.Properties[name]); member != nil {
			read[name] = member
		}
	}
	text, _ := json.Marshal(read) // what was JSON before is JSON again
	return text
}

// leastID and mostID limit the numbers that are read as the beginning of an ID without letters.
const leastID, mostID = 1e5, 1e15

// argument returns an argument, or a member of an argument, in the type of its schema; nil if it is not given.
func argument(value any, schema *jsonschema.Schema) any {
	if schema == nil || value == nil {
		return value
	}
	text, isText := value.(string)
	if number, isNumber := value.(float64); schema.Type == "string" && isNumber && number >= leastID && number < mostID && number == math.Trunc(number) {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	isList := schema.Type == "array"
	if isText && schema.Type != "string" {
		var inside any
		err := json.Unmarshal([]byte(text), &inside)
		if _, isListInside := inside.([]any); err == nil && isListInside == isList || text == "" || text == "null" {
			value = inside
		}
	}
	if !isList || value == nil {
		return value
	}
	list, isMany := value.([]any)
	if !isMany {
		list = []any{value}
	}
	members := []any{}
	for _, one := range list {
		if one = argument(one, schema.Items); one != nil {
			members = append(members, one)
		}
	}
	return members
}
