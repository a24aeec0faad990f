package briefing

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lookTime bounds how long one answer waits for the comparison of files. A memory whose files
// are not compared by then is injected without a note on changes.
const lookTime = 20 * time.Millisecond

// Look marks the memories whose files below the root have changed. It skips calls without a root,
// and the user's memories, whose files belong to another project.
func (b *Briefing) Look(ctx context.Context, root string, lists ...*[]memory.Memory) {
	if root == "" {
		return
	}
	changed := b.changed(ctx, root, withFingerprints(lists))
	for _, list := range lists {
		var marked []memory.Memory // the lists are shared
		for i, m := range *list {
			if !changed[m.ID] {
				continue
			}
			if marked == nil {
				marked = slices.Clone(*list)
			}
			marked[i].FilesChanged = true
		}
		if marked != nil {
			*list = marked
		}
	}
}

// changed has the ids of the memories whose files have changed since these fingerprints were made;
// nil if the comparison is not finished in time.
func (b *Briefing) changed(ctx context.Context, root string, asked map[string]map[string]string) map[string]bool {
	if b.Files == nil || len(asked) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	changed := make(chan map[string]bool, 1)
	go func() { // a file system may hang
		defer cancel()
		found := map[string]bool{}
		for id, prints := range asked {
			found[id] = b.Files.HaveChanged(ctx, root, prints)
		}
		changed <- found
	}()
	select {
	case <-ctx.Done():
		select { // it may have ended with the last file
		case found := <-changed:
			return found
		default:
			return nil
		}
	case found := <-changed:
		return found
	}
}

// withFingerprints are the fingerprints of memories by id.
func withFingerprints(lists []*[]memory.Memory) map[string]map[string]string {
	prints := map[string]map[string]string{}
	for _, list := range lists {
		for _, m := range *list {
			if len(m.Fingerprints) > 0 && m.Scope != memory.ScopeUser {
				prints[m.ID] = m.Fingerprints
			}
		}
	}
	return prints
}
