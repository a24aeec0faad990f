package briefing

import (
	"cmp"
	"context"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// knownTexts has the texts in the context of a conversation: memories that it was shown, and files that its client
// loads. A memory with the same content in other words is a repetition.
type knownTexts struct {
	held   *lru.Cache[string, english.Core] // cores by memory id, which is derived from the content
	cores  []english.Core
	ids    []string       // ids of the memories in cores, in the same order
	todos  []english.Core // cores of todos
	loaded Loaded
}

// Loaded returns the name of the file with a memory's content that the client loads, or "". A nil Loaded finds no file.
type Loaded func(memory.Memory) string

// FileWith returns l(m), or "" for a todo: a line of a file with the same words is a rule, and does not replace the todo.
func (l Loaded) FileWith(m memory.Memory) string {
	if l == nil || m.Kind == memory.KindTodo {
		return ""
	}
	return l(m)
}

// LoadedIn returns the finder of the files that a client loads in a place, or nil. For a subagent it leaves out
// AutoMemory: Claude Code gives a subagent the index of its memory, but not the facts.
func (b *Briefing) LoadedIn(ctx context.Context, client, root string, isSubagent bool) Loaded {
	if root == "" {
		return nil
	}
	var inFiles Loaded
	if b.Instructions != nil {
		inFiles = b.Instructions.FileFinder(ctx, client, root)
	}
	if client != "" || isSubagent {
		return inFiles
	}
	return func(m memory.Memory) string {
		if file := b.AutoMemory.Of(root, m); file != "" {
			return file
		}
		return inFiles.FileWith(m)
	}
}

// loadedBeside returns a Loaded that finds what loaded finds, with an exception: for a row in a file that may correct an
// older row in none, it finds no file. The start then shows both rows; the older one alone would contradict the file.
func (b *Briefing) loadedBeside(rows memory.StartContext, loaded Loaded) Loaded {
	if loaded == nil {
		return nil
	}
	files := map[string]string{} // by id of a row
	var told, inFiles []memory.Memory
	for _, m := range slices.Concat(rows.Statements, rows.Facts) {
		if files[m.ID] = loaded.FileWith(m); files[m.ID] == "" {
			told = append(told, m)
		} else {
			inFiles = append(inFiles, m)
		}
	}
	index := b.sentencesOf(inFiles)
	for i := 0; i < len(told) && len(inFiles) > 0; i++ {
		for _, m := range index.NewerThan(told[i]) {
			if files[m.ID] != "" {
				files[m.ID], told = "", append(told, m)
			}
		}
	}
	return func(m memory.Memory) string {
		if file, isRow := files[m.ID]; isRow {
			return file
		}
		return loaded(m)
	}
}

// knownTo returns the texts that the client loads, and the shown memories that are still in the index.
func (b *Briefing) knownTo(index *recall.Index, shown *session.Shown, loaded Loaded) *knownTexts {
	t := &knownTexts{held: b.cores, loaded: loaded}
	for _, id := range shown.IDs() {
		if m, has := index.Memory(id); has {
			t.add(m)
		}
	}
	return t
}

func (t *knownTexts) add(m memory.Memory) {
	t.cores, t.ids = append(t.cores, t.coreOf(m)), append(t.ids, m.ID)
	if m.Kind == memory.KindTodo {
		t.todos = append(t.todos, t.coreOf(m))
	}
}

// contains reports whether a memory's content is known. Only a todo in the same words makes a todo known: a rule does not say what is to do.
func (t *knownTexts) contains(m memory.Memory) bool {
	if m.Kind == memory.KindTodo {
		core := t.coreOf(m)
		return slices.ContainsFunc(t.todos, func(other english.Core) bool { return core.IsContainedIn(other) && other.IsContainedIn(core) })
	}
	return t.loaded.FileWith(m) != "" || t.sameAs(m) != ""
}

// sameAs returns the id of the first known memory that says the same as m, or "". For a todo, ask contains first.
func (t *knownTexts) sameAs(m memory.Memory) string {
	says := t.coreOf(m).IsContainedIn
	if m.IsUsersWord() {
		says = t.coreOf(m).IsWhollyIn
	}
	if at := slices.IndexFunc(t.cores, says); at >= 0 {
		return t.ids[at]
	}
	return ""
}

// addNew returns the memories whose content is not known, and adds them to the known ones.
func (t *knownTexts) addNew(memories []memory.Memory) []memory.Memory {
	var news []memory.Memory
	for _, m := range memories {
		if !t.contains(m) {
			t.add(m)
			news = append(news, m)
		}
	}
	return news
}

func (t *knownTexts) coreOf(m memory.Memory) english.Core {
	core, held := t.held.Get(m.ID)
	if !held {
		core = english.CoreOf(m.Content)
		t.held.Add(m.ID, core)
	}
	return core
}

// told returns a start with its Newer, and without memories that repeat an earlier line, except sentences of the user's that may answer another.
func (b *Briefing) told(rows memory.StartContext) memory.StartContext {
	t := knownTexts{held: b.cores}
	index := b.sentencesOf(slices.DeleteFunc(slices.Concat(rows.Statements, rows.Quoted), func(m memory.Memory) bool { return !m.IsUsersWord() }))
	rows.Facts = t.addNew(rows.Facts)
	all := rows.Statements
	rows.Statements = nil
	for _, m := range all {
		if !t.contains(m) || m.IsUsersWord() && index.MayAnswer(m, rows.Statements) {
			t.add(m)
			rows.Statements = append(rows.Statements, m)
		}
	}
	rows.Newer = b.newerWords(rows)
	return rows
}

func (b *Briefing) sentencesOf(all []memory.Memory) recall.Sentences {
	return recall.SentencesOf(all, (&knownTexts{held: b.cores}).coreOf)
}

// mostNewer is the maximum number of newer sentences that come with an older memory.
const mostNewer = 3

// NewestFirst puts the user's words that may correct an older hit above it, the newest first: those among the hits, and at most
// mostNewer of said. If the older hit fits a question, its correction does, too: it gets at least the same share.
func (b *Briefing) NewestFirst(hits []memory.Hit, said []memory.Memory) []memory.Hit {
	at := map[string]memory.Hit{}
	for _, m := range said {
		at[m.ID] = memory.Hit{Memory: m}
	}
	isHit := map[string]bool{}
	for _, h := range hits {
		if _, isSaid := at[h.Memory.ID]; !isSaid && h.Memory.IsUsersWord() && h.Memory.Kind != memory.KindTurn {
			said = append(said, h.Memory)
		}
		at[h.Memory.ID], isHit[h.Memory.ID] = h, true
	}
	index := b.sentencesOf(said)
	ordered := make([]memory.Hit, 0, len(hits))
	for _, h := range hits {
		for i, m := range append(index.NewerThan(h.Memory), h.Memory) {
			if hit, isLeft := at[m.ID]; isLeft && (i < mostNewer || isHit[m.ID]) {
				hit.Share = max(hit.Share, h.Share)
				ordered = append(ordered, hit)
				delete(at, m.ID)
			}
		}
	}
	return ordered
}

// newerWords returns, by the id of a start's line that is a fact or precedes others, the ids of the user's newest words in the start
// that may correct it, at most mostNewer. Words of a distilled session cannot correct a fact, because the model that read them has decided
// about the facts.
func (b *Briefing) newerWords(rows memory.StartContext) map[string][]string {
	users, lines := slices.Clone(rows.Quoted), slices.Clone(rows.Facts)
	for _, m := range rows.Statements {
		if m.IsUsersWord() {
			users = append(users, m)
		}
		if precedes(m) {
			lines = append(lines, m)
		}
	}
	index, newer, read := b.sentencesOf(users), map[string][]string{}, start.DistilledSessions(rows)
	isQuoted := map[string]bool{} // a newer fact stands in its place
	for _, m := range rows.Quoted {
		isQuoted[m.ID] = true
	}
	for _, line := range lines {
		for _, m := range index.NewerThan(line) {
			if len(newer[line.ID]) < mostNewer && (!line.IsFact() || !read[m.Session] && !isQuoted[m.ID]) {
				newer[line.ID] = append(newer[line.ID], m.ID)
			}
		}
	}
	return newer
}

// precedes reports whether a start shows a line before what the user said once in passing.
func precedes(m memory.Memory) bool { return m.IsKept() || m.IsSaidAgain() || !m.IsUsersWord() }

// leastNear is the least closeness of two memories about the same thing: the number of shared words divided by the
// sum of their numbers of words. An existing memory that is longer than the new fact counts as equally long.
const leastNear = 0.25

// Nearest returns the active fact, or user's words other than a todo, that shares most words with the title and area of a new
// fact; of equal ones the newest. It returns the zero memory if none is near enough or the index cannot be read.
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
