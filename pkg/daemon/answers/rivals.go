package answers

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Rivals returns the facts of a project that cannot hold beside a newer fact, each with the newer fact, the latest
// first.
func (a *Answers) Rivals(ctx context.Context, p daemonapi.OfProject) ([]daemonapi.Rivals, error) {
	index, err := a.Briefing.Index(ctx, p.Project)
	if err != nil {
		return nil, err
	}
	all := []daemonapi.Rivals{}
	for _, r := range start.RivalsAmong(index.Facts()) {
		if len(all) == min(max(p.Limit, 1), mostFound) {
			break
		}
		all = append(all, daemonapi.Rivals{Older: r.Older, Newer: r.Newer})
	}
	return all, nil
}
