package briefing

import (
	"cmp"
	"context"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// told is the content that a conversation was shown, or that its client loads. The same
// content in other words, from any memory, is a repetition.
type told struct {
	held   *lru.Cache[string, english.Core] // by memory id, which is derived from the content
	cores  []english.Core
	loaded Loaded
}

// loaded names the file that the client loads and that says a memory; nil: nothing is
// known of such files.
type Loaded func(memory.Memory) string

// says names the file that says a memory; empty if none does. A todo is not said by a
// rule in the same words.
func (l Loaded) Says(m memory.Memory) string {
	if l == nil || m.Kind == memory.KindTodo {
		return ""
	}
	return l(m)
}

// LoadedIn are the texts that the client loads in a place; see Instructions.
func (b *Briefing) LoadedIn(ctx context.Context, root, dir string) Loaded {
	if b.Instructions == nil || root == "" {
		return nil
	}
	return b.Instructions.Said(ctx, root, cmp.Or(dir, root))
}

// told collects the shown memories that are still in the index. No query returns the
// others again.
func (b *Briefing) told(index *Index, shown *session.Shown, loaded Loaded) *told {
	t := &told{held: b.cores, loaded: loaded}
	for _, id := range shown.IDs() {
		if m, has := index.Memory(id); has {
			t.add(m)
		}
	}
	return t
}

func (t *told) add(m memory.Memory) { t.cores = append(t.cores, t.coreOf(m)) }

func (t *told) says(m memory.Memory) bool {
	return t.loaded.Says(m) != "" || slices.ContainsFunc(t.cores, t.coreOf(m).IsSaidBy)
}

// drop removes from lists, which are shared, the memories that the client loads.
func (l Loaded) drop(lists ...*[]memory.Memory) {
	if l == nil {
		return
	}
	for _, list := range lists {
		*list = slices.DeleteFunc(slices.Clone(*list), func(m memory.Memory) bool { return l.Says(m) != "" })
	}
}

// news keeps the memories whose content was not shown yet and is not in an earlier one.
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

func (t *told) coreOf(m memory.Memory) english.Core {
	core, held := t.held.Get(m.ID)
	if !held {
		core = english.CoreOf(m.Content)
		t.held.Add(m.ID, core)
	}
	return core
}

// withoutRepetition drops the memories of a start that repeat an earlier one.
func (b *Briefing) withoutRepetition(start memory.StartContext) memory.StartContext {
	t := told{held: b.cores}
	for _, memories := range []*[]memory.Memory{&start.Facts, &start.Conventions, &start.Todos, &start.Preferences, &start.Failing} {
		*memories = t.news(*memories)
	}
	return start
}
