package briefing

import "context"

// Warm loads the project's index if it is not loaded, so that the first prompt of a session does
// not wait, and chooses the facts of the next start from the whole index.
func (b *Briefing) Warm(ctx context.Context, project string) {
	if _, err := b.Index(ctx, project); err != nil {
		if ctx.Err() == nil {
			b.Log.Debug("an index could not be loaded", "project", project, "error", err)
		}
		return
	}
	if held, found, writes := b.starts.get(project); found && !held.allFacts {
		whole := b.withBestFacts(project, held.rows)
		whole.at = held.at
		b.starts.put(project, whole, writes)
	}
}
