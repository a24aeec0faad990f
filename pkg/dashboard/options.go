package dashboard

import (
	"context"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Options are the dependencies and settings of the dashboard.
type Options struct {
	Daemon Daemon
	Log    *slog.Logger
	Now    func() time.Time
	// Folder is where the files lie that let a browser in; it must be this user's alone.
	Folder string
	// SwitchModel writes whether a model may be asked.
	SwitchModel func(on bool) error
}

// Daemon answers the calls that the CLI and the MCP server make, too: the pages have no
// other way to the memories.
type Daemon interface {
	Ask(ctx context.Context, call daemonapi.Call) error
}
