package dashboard

import (
	"context"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Options are the dependencies and settings of the dashboard.
type Options struct {
	Daemon Daemon
	Log    *slog.Logger
	Now    func() time.Time
	// Folder is the folder of the files that let a browser in. Only this user may have access to it.
	Folder string
	// Save saves a setting. OnlyAsked reports whether the setting capture.keep is now "asked".
	Save      func(key, value string) error
	OnlyAsked func() bool
	// WhyOff returns why no session of a project is given anything, or "".
	WhyOff func(memory.Project) string
}

// Daemon answers the same calls as for the CLI and the MCP server. The pages have no other access to the memories.
type Daemon interface {
	Ask(ctx context.Context, call daemonapi.Call) error
}
