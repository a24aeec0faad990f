package dashboard

import (
	"context"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// Options are the dependencies and settings of the dashboard.
type Options struct {
	Agent Agent
	Log   *slog.Logger
	Now   func() time.Time
	// Folder is where the files lie that let a browser in; it must be this user's alone.
	Folder string
	// SwitchModel writes whether a model may be asked.
	SwitchModel func(on bool) error
}

// Agent answers the calls that the CLI and the MCP server make, too: the pages have no
// other way to the memories.
type Agent interface {
	Ask(ctx context.Context, call agentapi.Call) error
}
