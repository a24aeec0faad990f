package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// isExplorer reports whether subagents of this type only explore. The client loads no instructions for them.
func isExplorer(kind string) bool { return kind == "Explore" || kind == "Plan" }

// standing returns the rows of a project's start that a subagent was not shown yet.
func (b *Briefing) standing(ctx context.Context, p daemonapi.RecallParams, shown *session.Shown) memory.StartContext {
	rows, err := b.StartOf(ctx, p.Project, p.Session)
	if err != nil { // the fitting memories alone are better than nothing
		b.Log.Warn("the user's rules for a subagent cannot be read", "error", err)
	}
	return shown.Without(rows)
}
