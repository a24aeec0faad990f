package briefing

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/presence"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// lookTime bounds how long one answer waits for the comparison of files. A memory whose files
// are not compared by then is injected without a note on changes.
const lookTime = 20 * time.Millisecond

// Look sets the file changes of memories below the root. It skips calls without a root, and the
// user's memories, whose files belong to another project. The names in a fact are checked in
// the background; see package presence.
func (b *Briefing) Look(ctx context.Context, root string, lists ...*[]memory.Memory) {
	if root == "" {
		return
	}
	changes := b.changes(ctx, root, withFingerprints(lists))
	for _, list := range lists {
		var marked []memory.Memory // the lists are shared
		for i, m := range *list {
			gone, isGone := b.gone(root, m)
			if changes[m.ID] == "" && !isGone {
				continue
			}
			if marked == nil {
				marked = slices.Clone(*list)
			}
			switch {
			case isGone:
				marked[i].FileChange, marked[i].Gone = memory.FileGone, gone.Name+" gone, noticed "+gone.Day
			case changes[m.ID] != memory.FileGone || !m.IsFact(): // a fact's file may be in another worktree
				marked[i].FileChange = changes[m.ID]
			}
		}
		if marked != nil {
			*list = marked
		}
	}
}

// gone is a name of a fact that is gone from the checkout at root.
func (b *Briefing) gone(root string, m memory.Memory) (presence.Absence, bool) {
	if b.Presence == nil || root == "" || !m.IsFact() {
		return presence.Absence{}, false
	}
	return b.Presence.Of(root, m.ID)
}

// lastUsed is the checkout of a project in which a session worked last, for answers to
// somebody who stands in none, as in the dashboard; empty if none is known.
func (b *Briefing) lastUsed(project string) string {
	if b.Presence == nil {
		return ""
	}
	return b.Presence.Root(project)
}

// isGone reports whether so many names in a fact are gone from the checkout at root that the fact
// is not injected unasked.
func (b *Briefing) isGone(root string, m memory.Memory) bool {
	gone, is := b.gone(root, m)
	return is && gone.Whole
}

// dropGone removes these facts from lists, which are shared.
func (b *Briefing) dropGone(root string, lists ...*[]memory.Memory) {
	isGone := func(m memory.Memory) bool { return b.isGone(root, m) }
	for _, list := range lists {
		if slices.ContainsFunc(*list, isGone) {
			*list = slices.DeleteFunc(slices.Clone(*list), isGone)
		}
	}
}

// changes are the changes of the files with these fingerprints, by the id of the memory; nil
// if the comparison is not finished in time.
func (b *Briefing) changes(
	ctx context.Context, root string, asked map[string]map[string]string,
) map[string]memory.FileChange {
	if b.Files == nil || len(asked) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	changes := make(chan map[string]memory.FileChange, 1)
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
			return found
		default:
			return nil
		}
	case found := <-changes:
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
