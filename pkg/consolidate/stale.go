package consolidate

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// stale lowers the rows whose files have changed much or are gone, and raises those
// again whose files are back. It looks below the root where each project was seen last;
// of a project that is not on this machine nothing is known.
func (w *work) stale(ctx context.Context) error {
	if w.Files == nil {
		return nil
	}
	projects, err := w.Store.Projects(ctx)
	if err != nil {
		return err
	}
	roots := make(map[string]string, len(projects))
	for _, p := range projects {
		roots[p.Key] = p.Root
	}
	return w.scanned(ctx, memory.ScanQuery{Fingerprinted: true}, func(rows []memory.Row) error {
		var known []memory.Row
		changes := map[string]memory.FileChange{}
		for _, row := range rows {
			root, isKnown := roots[row.Memory.Project]
			if isKnown && row.Memory.Kind.Searchable() {
				known = append(known, row)
				changes[row.Memory.ID] = w.Files.Since(ctx, root, row.Memory.Fingerprints)
			}
		}
		if err := ctx.Err(); err != nil { // a file that was not looked at is not unchanged
			return err
		}
		plan, err := policy.Stale(w.now, w.resolved(known), changes)
		if err != nil {
			return err
		}
		return w.commit(ctx, plan, known, 0)
	})
}
