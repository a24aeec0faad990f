package briefing

import (
	"cmp"
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// leastNear is the least closeness of two memories about the same thing: the number of shared words divided by the
// sum of their numbers of words. An existing memory that is longer than the new fact counts as equally long.
const leastNear = 0.25

// Nearest returns the active fact, or user's words other than a todo, that shares most words with the title and area
// of a new fact; of equal ones the newest. It returns the zero memory if none is near enough or the index cannot be
// read.
func (b *Briefing) Nearest(ctx context.Context, project string, m memory.Memory) (memory.Memory, error) {
	index, err := b.Index(ctx, project)
	if err != nil {
		return memory.Memory{}, nil //nolint:nilerr // the fact is stored all the same
	}
	return nearest(m, slices.DeleteFunc(index.Standing(), func(other memory.Memory) bool {
		return !other.IsFact() && (!other.IsUsersWord() || other.Kind == memory.KindTodo)
	})), nil
}

func nearest(m memory.Memory, all []memory.Memory) (best memory.Memory) {
	core, most := english.CoreOf(m.Title+" "+m.Area), 0.0
	for _, other := range all {
		its := english.CoreOf(cmp.Or(other.Title, other.Content) + " " + other.Area)
		shared := core.Shared(its)
		near := float64(shared) / float64(core.Len()+min(core.Len(), its.Len()))
		if other.ID != m.ID && near >= leastNear && (near > most || near == most && other.LastSeenAt.After(best.LastSeenAt)) {
			best, most = other, near
		}
	}
	return best
}
