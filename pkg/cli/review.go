package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// reviewQueue has everything that waits for a person's decision.
type reviewQueue struct {
	Rivals []daemonapi.Rivals `json:"rivals"`
}

// listReview lists the pairs of facts that differ only in a value.
func listReview(ctx context.Context, e *environment, where project.Project, limit int) error {
	rivals, err := daemonapi.MethodRivals.Ask(ctx, e.Daemon.Call, daemonapi.OfProject{Project: where.Key, Limit: limit})
	if err != nil {
		return err
	}
	return e.Print(reviewQueue{Rivals: rivals}, func(w io.Writer) {
		for _, r := range rivals {
			memoryTable(e.Terminal, w, []daemonapi.Listed{{Memory: r.Newer}, {Memory: r.Older}})
			_, _ = fmt.Fprintf(w, "These two facts differ only in a value, so a session's start shows only the newer one. If the newer is right: memory forget %s. If the older is right: memory forget %s. If both are right: memory edit %[1]s --pin\n",
				memory.ShortID(r.Older.ID), memory.ShortID(r.Newer.ID))
		}
		if len(rivals) == 0 {
			_, _ = fmt.Fprintf(w, "no memory of %s waits for your decision\n", terminal.Printable(where.Name))
		}
	})
}
