package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Fixes returns the newest fix of each of some commands, which are cores like Entry.Command,
// the newest first.
func (x *Index) Fixes(commands []string) []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []memory.Memory
	for _, command := range commands {
		var newest *memory.Memory
		for _, o := range x.terms[commandPrefix+strings.Join(strings.Fields(command), " ")] {
			m := &x.docs[o.slot].entry.Memory
			isFix := m.Kind == memory.KindFix && x.docs[o.slot].entry.SupersededBy == "" && x.links[o.slot].factor > 0
			if isFix && (newest == nil || m.LastSeenAt.After(newest.LastSeenAt)) {
				newest = m
			}
		}
		if newest != nil && !slices.ContainsFunc(found, func(m memory.Memory) bool { return m.ID == newest.ID }) {
			found = append(found, *newest)
		}
	}
	slices.SortStableFunc(found, func(a, b memory.Memory) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.ID, b.ID))
	})
	return found
}
