package briefing

import (
	"cmp"
	"context"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
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

// LoadedIn are the texts that a client loads in a place, for a session or, if it is for a
// subagent, for that: Claude Code gives a subagent the index of its own memory, but not the
// facts. See Instructions and OwnMemory.
func (b *Briefing) LoadedIn(ctx context.Context, client, root, dir string, isSubagent bool) Loaded {
	if root == "" {
		return nil
	}
	var said Loaded
	if b.Instructions != nil {
		said = b.Instructions.Said(ctx, client, root, cmp.Or(dir, root))
	}
	if client != "" || isSubagent || b.OwnMemory == nil {
		return said
	}
	return func(m memory.Memory) string {
		if file := b.OwnMemory.Of(root, m.ID); file != "" {
			return file
		}
		return said.Says(m)
	}
}

// told collects the shown memories that are still in the index. No query returns the
// others again.
func (b *Briefing) told(index *recall.Index, shown *session.Shown, loaded Loaded) *told {
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
