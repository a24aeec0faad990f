package briefing

import "context"

// Warm loads the project's index if it is not loaded, so that the first prompt of a session does
// not wait.
func (b *Briefing) Warm(ctx context.Context, project string) {
	if _, err := b.Index(ctx, project); err != nil && ctx.Err() == nil {
		b.Log.Debug("an index could not be loaded", "project", project, "error", err)
	}
}
