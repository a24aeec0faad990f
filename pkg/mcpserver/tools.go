package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

type Options struct {
	Daemon  daemonclient.Daemon // finds and starts the daemon
	Version string
	Project project.Project // project whose memories are served
	Session string          // the client's session; empty: a session of the day is used
}

type tools struct {
	Options
	arguments map[string]*jsonschema.Resolved // by tool
}

// changes returns a tool that changes memories. No tool affects anything but the memory, and none does more if it is called
// twice.
func changes(name, title, description string) *mcp.Tool {
	return &mcp.Tool{Name: name, Title: title, Description: description, Annotations: &mcp.ToolAnnotations{
		Title: title, DestructiveHint: new(true), IdempotentHint: true, OpenWorldHint: new(false),
	}}
}

// adds returns a tool that only adds or brings back something.
func adds(name, title, description string) *mcp.Tool {
	tool := changes(name, title, description)
	tool.Annotations.DestructiveHint = new(false)
	return tool
}

// reads returns a tool that changes nothing.
func reads(name, title, description string) *mcp.Tool {
	tool := adds(name, title, description)
	tool.Annotations.ReadOnlyHint = true
	return tool
}

// always returns a tool that the client must not hide behind its tool search.
func always(tool *mcp.Tool) *mcp.Tool {
	tool.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	return tool
}

// limits restricts arguments, by their names.
type limits map[string]func(*jsonschema.Schema)

func oneOf[T ~string](values ...T) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Enum = memory.Each(values, func(value T) any { return string(value) }) }
}

func each(limit func(*jsonschema.Schema), most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.Type, s.Types = "array", nil // without null
		s.MaxItems = &most
		if limit != nil {
			limit(s.Items)
		}
	}
}

func between(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// optional restricts the type of an argument that may be omitted, so that null is not allowed.
func optional(kind string, further ...func(*jsonschema.Schema)) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.Type, s.Types = kind, nil
		for _, limit := range further {
			limit(s)
		}
	}
}

var kindsToFind = append([]memory.Kind{memory.KindFix, memory.KindDiscovery, memory.KindTurn}, memory.StatementKinds()...)

// off returns why nothing is stored or recalled in the project, or "".
func (t *tools) off() string { return t.Project.WhyOff(t.Daemon.Paths.OffMarker(t.Project.Key)) }

// call sends a request to the daemon, unless memory is off for the project; its error contains the remedy for a model.
func (t *tools) call(ctx context.Context, call daemonapi.Call) error {
	if off := t.off(); off != "" {
		return errors.New(off)
	}
	return explain(t.callWithin(ctx, callTime, call))
}

const (
	// callTime limits one request to the daemon, including the start of daemon and engine.
	callTime = 20 * time.Second
	// storeTime limits a request about an event that is already in the spool.
	storeTime = 5 * time.Second
)

// callWithin sends one request to the daemon, and starts a daemon if none runs. Each call has its own connection, so
// that calls do not wait for each other.
func (t *tools) callWithin(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := t.Daemon.Connect(ctx, func() error { return nil })
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

// unreachable reports whether the same call may succeed later.
func unreachable(err error) bool {
	return errors.Is(err, memory.ErrUnavailable) || errors.Is(err, daemonclient.ErrNoDaemon) ||
		errors.Is(err, context.DeadlineExceeded)
}

// explain returns an error with the remedy for a model.
func explain(err error) error {
	reason := err
	var answer *daemonapi.Error
	if errors.As(err, &answer) {
		reason = errors.New(memory.ErrorText(answer))
	}
	switch {
	case err == nil:
		return nil
	case unreachable(err):
		return fmt.Errorf("the memory cannot be reached now, and nothing was changed: %w. Try again later; the user sees the state with ! memory status", reason)
	case errors.Is(err, memory.ErrNotFound):
		return fmt.Errorf("%s. Use ids that search_memories or recall_memories return for this project", memory.ErrorText(reason))
	}
	return reason
}
