package mcpserver

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Options are the settings and dependencies of a server.
type Options struct {
	Version    string
	Paths      paths.Layout
	Executable string          // this program's own path: the agent lies beside it
	Project    project.Project // the project whose memories are served
	Session    string          // the client's session; empty makes one of the day
	// ContextBudget is the tokens of the project's context, wrapper included.
	ContextBudget int
	Now           func() time.Time
}

// tools holds the common dependencies of the tools.
type tools struct {
	Options
	agent     link
	arguments map[string]*jsonschema.Schema // by tool
}

// alwaysLoad keeps the client from hiding a tool behind its tool search.
var alwaysLoad = mcp.Meta{"anthropic/alwaysLoad": true}

// effects are the annotations of a tool; no tool reaches beyond the memory.
func effects(title string, readOnly, destructive, idempotent bool) *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: readOnly, DestructiveHint: &destructive, IdempotentHint: idempotent, OpenWorldHint: &closed,
	}
}

func reads(title string) *mcp.ToolAnnotations { return effects(title, true, false, true) }

func adds(title string) *mcp.ToolAnnotations { return effects(title, false, false, true) }

func changes(title string) *mcp.ToolAnnotations { return effects(title, false, true, true) }

// schemaOf describes a tool's parameters: the types and descriptions are those of
// the struct, the limits come on top.
func schemaOf[In any](limits map[string]func(*jsonschema.Schema)) *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic("mcpserver: " + err.Error()) // the struct is wrong, and every test would see it
	}
	for name, limit := range limits {
		limit(schema.Properties[name])
	}
	return schema
}

func oneOf(values ...any) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Enum = values }
}

func each(limit func(*jsonschema.Schema), most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.Type, s.Types = "array", nil // and not null
		s.MaxItems = &most
		if limit != nil {
			limit(s.Items)
		}
	}
}

func between(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// kindsToKeep are the kinds that may be asked to be kept.
var kindsToKeep = []any{
	string(memory.KindNote), string(memory.KindTodo), string(memory.KindConvention),
	string(memory.KindDecision), string(memory.KindPreference), string(memory.KindCorrection),
}

// kindsToFind are all kinds.
var kindsToFind = append([]any{
	string(memory.KindFix), string(memory.KindFailure), string(memory.KindDiscovery), string(memory.KindTask), string(memory.KindTurn),
	string(memory.KindEdit), string(memory.KindCommand), string(memory.KindObservation),
}, kindsToKeep...)
