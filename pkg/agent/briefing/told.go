package briefing

import (
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// told is what a conversation was told, by what it says: the same in other words is
// no news, whichever memory has it.
type told struct {
	held  *lru.Cache[string, recall.Core] // by id, which is the content's
	cores []recall.Core
}

// told takes what a conversation was shown from the index: what is no longer there is
// told by nobody else either.
func (b *Briefing) told(index *recall.Index, shown *session.Shown) *told {
	t := &told{held: b.cores}
	for _, id := range shown.IDs() {
		if m, has := index.Memory(id); has {
			t.add(m)
		}
	}
	return t
}

func (t *told) add(m memory.Memory) { t.cores = append(t.cores, t.coreOf(m)) }

func (t *told) says(m memory.Memory) bool {
	return slices.ContainsFunc(t.cores, t.coreOf(m).IsSaidBy)
}

// news is the memories that say what was not told yet, nor by one before.
func (t *told) news(memories []memory.Memory) []memory.Memory {
	var news []memory.Memory
	for _, m := range memories {
		if !t.says(m) {
			t.add(m)
			news = append(news, m)
		}
	}
	return news
}

func (t *told) coreOf(m memory.Memory) recall.Core {
	core, held := t.held.Get(m.ID)
	if !held {
		core = recall.CoreOf(m)
		t.held.Add(m.ID, core)
	}
	return core
}

// withoutRepetition leaves out of a start what a memory before says already.
func (b *Briefing) withoutRepetition(start memory.StartContext) memory.StartContext {
	t := told{held: b.cores}
	for _, memories := range []*[]memory.Memory{&start.Conventions, &start.Todos, &start.Preferences, &start.Findings} {
		*memories = t.news(*memories)
	}
	return start
}
