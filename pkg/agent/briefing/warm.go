package briefing

import "context"

// Warm loads the project's index if it is not loaded, so that the first prompt of a
// session does not wait, and has starts choose of all its facts.
func (b *Briefing) Warm(ctx context.Context, project string) {
	if _, err := b.Index(ctx, project); err != nil {
		if ctx.Err() == nil {
			b.Log.Debug("an index could not be loaded", "project", project, "error", err)
		}
		return
	}
	if held, known, writes := b.starts.get(project); known && !held.allFacts {
		whole := b.withBestFacts(project, held.rows)
		whole.at = held.at
		b.starts.put(project, whole, writes)
	}
}
