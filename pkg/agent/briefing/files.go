package briefing

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lookTime bounds how long one answer waits for the look at files. A memory whose files
// are not compared by then is told without their change.
const lookTime = 20 * time.Millisecond

// Look sets the file changes of memories below the root. It changes nothing where the
// root is not given, and for memories of the user: the files of those are another
// project's.
func (b *Briefing) Look(ctx context.Context, root string, lists ...*[]memory.Memory) {
	if b.Files == nil || root == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	changes := make(chan map[string]memory.FileChange, 1)
	asked := withFingerprints(lists)
	if len(asked) == 0 {
		cancel()
		return
	}
	go func() { // a file system may hang
		defer cancel()
		found := map[string]memory.FileChange{}
		for id, prints := range asked {
			if change := b.Files.Since(ctx, root, prints); change != "" {
				found[id] = change
			}
		}
		changes <- found
	}()
	select {
	case <-ctx.Done():
		select { // it may have ended with the last file
		case found := <-changes:
			tell(found, lists)
		default:
		}
	case found := <-changes:
		tell(found, lists)
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

// tell replaces each list with changed files by a copy with the changes: the lists are
// shared.
func tell(found map[string]memory.FileChange, lists []*[]memory.Memory) {
	if len(found) == 0 {
		return
	}
	for _, list := range lists {
		told := make([]memory.Memory, len(*list))
		for i, m := range *list {
			m.FileChange = found[m.ID]
			told[i] = m
		}
		*list = told
	}
}
