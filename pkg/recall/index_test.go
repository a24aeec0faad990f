package recall_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func note(id, content string) recall.Entry {
	return recall.Entry{Memory: memory.Memory{
		ID: id, Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
		Status: memory.StatusActive, Content: content, Importance: 0.5, CreatedAt: epoch, LastSeenAt: epoch,
	}}
}

func ids(hits []memory.Hit) []string {
	found := []string{}
	for _, h := range hits {
		found = append(found, h.Memory.ID)
	}
	return found
}

// anyText draws from few words, so that memories and queries have some in common.
func anyText() *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{
		"migration", "migrate", "postgres", "timeout", "retryPolicy", "pkg/api/server.go", "server.go", "go", "test", "yesterday",
		"in March", "Ann:", "why?", "flaky", "e2e", "`server`", "deploy(", "索引", "\x00path:x", "\xff", "the", "database",
	})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 0, 8).Draw(t, "words"), " ") })
}

func anyEntry(t *rapid.T, id int) recall.Entry {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	at := epoch.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "at")) * time.Hour)
	e := recall.Entry{
		Memory: memory.Memory{
			ID: fmt.Sprint("m", id), Content: anyText().Draw(t, "content"), Detail: anyText().Draw(t, "detail"),
			Kind:       memory.Kind(pick("kind", "note", "decision", "fix")),
			Scope:      memory.Scope(pick("scope", "project", "user")),
			Type:       memory.Type(pick("type", "episodic", "semantic", "procedural")),
			Status:     memory.StatusActive,
			Importance: rapid.Float64Range(0, 1).Draw(t, "importance"), CreatedAt: at, LastSeenAt: at,
		},
		SupersededBy: pick("superseded by", "", "", "", "m1", "m2", "m3", "m4"),
		Offered:      rapid.Bool().Draw(t, "offered"),
	}
	e.Memory.Session = pick("session", "", "s1", "s2", "s3")
	e.Memory.Command = pick("command", "", "go test ./...", "make")
	e.Memory.Signature = pick("signature", "", "connection refused")
	if file := pick("file", "", "pkg/api/server.go", `pkg\api\Client.go`); file != "" {
		e.Memory.Files = []string{file}
	}
	return e
}

func anyEntries(t *rapid.T) []recall.Entry {
	var entries []recall.Entry
	for i := range rapid.IntRange(0, 25).Draw(t, "entries") {
		entries = append(entries, anyEntry(t, i))
	}
	return entries
}

func anyQuery(t *rapid.T) recall.Query {
	q := recall.Query{Text: anyText().Draw(t, "query"), Limit: rapid.IntRange(0, 30).Draw(t, "limit")}
	if rapid.Bool().Draw(t, "asks for more") {
		q.Files = []string{"pkg/api/server.go"}
	}
	if rapid.Bool().Draw(t, "asks for a kind") {
		q.Kinds = []memory.Kind{memory.KindNote}
	}
	return q
}

func indexOf(entries []recall.Entry) *recall.Index {
	x := recall.NewIndex(recall.DefaultWeights())
	for _, e := range entries {
		x.Put(e)
	}
	return x
}

// The index depends only on the memories that it has, not on how it was built.
func TestAnIndexIsWhatItHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := anyEntries(t)
		x := indexOf(rapid.Permutation(kept).Draw(t, "order"))
		var gone []recall.Entry
		for i := range rapid.IntRange(1, 10).Draw(t, "passing entries") {
			e := anyEntry(t, 100+i)
			gone = append(gone, e)
			x.Put(e)
			if rapid.Bool().Draw(t, "put again, changed") {
				e.Memory.Content += " database"
				e.Memory.Session = "s2"
				x.Put(e)
			}
		}
		for i := range kept {
			if rapid.Bool().Draw(t, "changed") {
				kept[i].Memory.Content += " database"
				x.Put(kept[i])
			}
		}
		for _, e := range rapid.Permutation(gone).Draw(t, "order") {
			x.Remove(e.Memory.ID)
		}
		x.Remove("nothing")
		want, q := indexOf(kept), anyQuery(t)
		if diff := cmp.Diff(want.Derived(), x.Derived()); diff != "" || x.Len() != len(kept) {
			t.Errorf("%d entries (-want +got):\n%s", x.Len(), diff)
		}
		musttest.Same(t, want.Recall(q), x.Recall(q), "recalled (-want +got)")
	})
}

func TestHitsKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := anyEntries(t)
		q := anyQuery(t)
		hits := indexOf(entries).Recall(q)
		if limit := max(q.Limit, 0); limit > 0 && len(hits) > limit {
			t.Errorf("%d hits, the limit is %d", len(hits), limit)
		}
		for i, h := range hits {
			switch {
			case math.IsNaN(h.Score) || math.IsInf(h.Score, 0):
				t.Errorf("%s scores %v", h.Memory.ID, h.Score)
			case i > 0 && h.Score > hits[i-1].Score:
				t.Errorf("%s at place %d scores more than the one before", h.Memory.ID, i)
			case len(q.Kinds) > 0 && !slices.Contains(q.Kinds, h.Memory.Kind):
				t.Errorf("%s is a %s", h.Memory.ID, h.Memory.Kind)
			}
		}
		assertSuccessorsFirst(t, entries, hits)
	})
}

// assertSuccessorsFirst: if the successor of a hit is a hit too, it comes before it, unless the memories
// supersede each other in a circle.
func assertSuccessorsFirst(t *rapid.T, entries []recall.Entry, hits []memory.Hit) {
	t.Helper()
	successor := map[string]string{}
	for _, e := range entries {
		successor[e.Memory.ID] = e.SupersededBy
	}
	inCircle := func(id string) bool {
		at := id
		for range entries {
			if at = successor[at]; at == id {
				return true
			}
		}
		return false
	}
	place := map[string]int{}
	for i, h := range hits {
		place[h.Memory.ID] = i
	}
	for id, i := range place {
		next, known := successor[id]
		at, isHit := place[next]
		if known && isHit && next != id && !inCircle(id) && at > i {
			t.Errorf("%s at place %d is before %s at %d, which superseded it", id, i, next, at)
		}
	}
}

// The successor of a memory is found by the words of the old one.
func TestSuccessorIsFoundByTheOldWords(t *testing.T) {
	old := note("old", "the staging database listens on port 5432")
	old.SupersededBy = "new"
	x := indexOf([]recall.Entry{old, note("new", "moved to 6543 everywhere"), note("other", "labels are printed in Hamburg")})
	hits := x.Recall(recall.Query{Text: "staging database port"})
	musttest.Same(t, []string{"new", "old"}, ids(hits), "hits (-want +got)")
}

func TestOneTextIsShownOnceAsTheNewestOfIt(t *testing.T) {
	const text = "the staging database listens on port 5432"
	of := func(id, text string, age time.Duration, change func(*recall.Entry)) recall.Entry {
		e := note(id, text)
		e.Memory.LastSeenAt = epoch.Add(-age)
		if change != nil {
			change(&e)
		}
		return e
	}
	x := indexOf([]recall.Entry{
		of("best", text, 3*time.Hour, func(e *recall.Entry) { e.Memory.Importance = 0.9 }),
		of("newest", "the staging  database listens on port 5432.", time.Hour, nil),
		of("older", text, 2*time.Hour, nil),
		of("superseded", text, 0, func(e *recall.Entry) { e.SupersededBy = "gone" }),
	})
	if got := ids(x.Recall(recall.Query{Text: "staging database port"})); !slices.Equal(got, []string{"newest"}) {
		t.Errorf("shown: %v", got)
	}
}

func TestAWordThatAQuestionRepeatsCountsMore(t *testing.T) {
	pool, export := note("pool", "the pool closes late"), note("export", "the export closes late")
	export.Memory.LastSeenAt = epoch.Add(time.Minute)
	x := indexOf([]recall.Entry{pool, export})
	for question, want := range map[string]string{"the pool leaks in the export": "export", "the pool leaks in the export; the pool is a pool": "pool"} {
		if got := ids(x.Recall(recall.Query{Text: question})); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v", question, got)
		}
	}
}

func TestHostileQueries(t *testing.T) {
	x := madeIndex(200)
	for _, text := range []string{
		"", " ", "\x00", "\xff\xfe", strings.Repeat("a'", 20_000), strings.Repeat("(", 20_000), strings.Repeat("`", 20_001),
		strings.Repeat("last week ", 5000), strings.Repeat("word ", 100_000), strings.Repeat("\x00path:a.go ", 100), "((((`",
	} {
		x.Recall(recall.Query{Text: text, Files: []string{text}, Limit: math.MaxInt32})
	}
	x.Recall(recall.Query{Text: "yesterday", Limit: -1})
}

// One writer and many readers at a time; the race detector watches.
func TestReadersWhileWriting(t *testing.T) {
	x := madeIndex(300)
	v := newVocabulary(5)
	texts := make([]string, 50)
	for i := range texts {
		texts[i] = v.text(6)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, text := range texts {
				x.Recall(recall.Query{Text: text})
			}
		})
	}
	writing := newVocabulary(6)
	for i := range 200 {
		x.Put(madeEntry(writing, i))
		x.Remove(fmt.Sprintf("m%06d", 299-i))
	}
	all.Wait()
}

// TestAQueryAllocatesLittle bounds the allocations of ranking among 10,000 memories: a score and a candidate for each.
func TestAQueryAllocatesLittle(t *testing.T) {
	const n = 10_000
	made := sync.OnceValue(func() *recall.Index { return madeIndex(n) }) // by the first call, which is not counted
	v := newVocabulary(2)
	text := v.text(10)
	alloctest.AtMost(t, 160, 500_000, func() { made().Recall(recall.Query{Text: text}) })
}

// A memory that names a file by its path is of no other file that has the end of it.
func TestAPathNamesOneFile(t *testing.T) {
	e := note("web", "the entry is generated")
	e.Memory.Files = []string{"web/src/index.ts"}
	outside := note("outside", "the zone file is shared")
	outside.Memory.Files = []string{"/etc/zones/shop.conf"}
	x := indexOf([]recall.Entry{e, outside})
	for file, want := range map[string]int{
		"web/src/index.ts": 1, "packages/web/src/index.ts": 1, "index.ts": 0, "src/index.ts": 0, "api/src/index.ts": 0, "/etc/zones/shop.conf": 1,
	} {
		musttest.Same(t, want, len(x.File(file)), "%s is named by (-want +got)", file)
	}
}

// The facts of a file and of a command are found by their cues, until they are removed or have other cues.
func TestFilesAndCommandsAreFoundByTheirCues(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	put := func(id int, cues ...string) {
		offer(x, memory.Memory{ID: fmt.Sprint(id), Kind: memory.KindConvention, Content: "a fact", Cues: cues, Importance: float64(10-id) / 10})
	}
	put(1, "pkg/export/query.go", "make test")
	put(2, "query.go", "run the query again")
	put(3, "pkg/export/", "cd web && npm test")
	put(4, "docs/export/query.go.md", "make")
	ids := func(hits []memory.Hit) (ids []string) {
		for _, hit := range hits {
			ids = append(ids, hit.Memory.ID)
		}
		return ids
	}
	check := func(name string, hits []memory.Hit, want ...string) {
		t.Helper()
		if got := ids(hits); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	check("a file", x.File("/home/ada/web/pkg/export/query.go"), "1", "2")
	check("a file of that name elsewhere", x.File("/home/ada/web/query.go"), "2")
	check("another file in a folder that is named", x.File("/home/ada/web/pkg/export/rows/new.go"))
	check("a command", x.Commands([]string{"make test"}, ""), "1")
	check("a chain", x.Commands([]string{"make", "npm test"}, ""), "3", "4")
	check("no command", x.Commands([]string{""}, ""))
	put(1, "pkg/import/query.go")
	x.Remove("4")
	check("a file, after a change", x.File("/home/ada/web/pkg/export/query.go"), "2")
	check("commands, after a change", x.Commands([]string{"make", "make test"}, ""))
}

// Each memory that shares words with a prompt has a reason why it fits, or does not.
func TestAHitExplainsWhyItFits(t *testing.T) {
	x := recall.NewIndex(recall.DefaultWeights())
	for _, m := range []memory.Memory{
		{ID: "bank", Content: "Payments are never retried by the shop.", Cues: []string{"payment timeout", "card was charged twice"}, Importance: 0.85, LastSeenAt: noon},
		{ID: "map", Content: "The seat map shows one deck at a time.", Cues: []string{"small screens"}, Importance: 0.45, LastSeenAt: noon},
		{ID: "card", Content: "The card of a guest shows the deck.", Cues: []string{"guest card"}, Importance: 0.45, LastSeenAt: noon},
		{ID: "mocks", Kind: memory.KindConvention, Source: memory.SourceUser, Content: "Tests use a real database, no mocks.", Importance: 0.85, LastSeenAt: noon},
	} {
		offer(x, m)
	}
	for prompt, want := range map[string]map[string]string{
		"why was the card charged twice?":                                                              {"bank": "the best fact scores", "card": "far below the best fact"},
		"which deck of the museum is closed on Monday":                                                 {"map": "needs more than", "card": "needs more than"},
		"which cards of the museum are shown on Monday, and which of them are closed again on Friday?": {"card": "even the best fact shares too few words"},
		"can you add a test for the export":                                                            {"mocks": "the type of work"},
	} {
		hits := x.Explain(prompt, false, 10)
		for id, reason := range want {
			found := false
			for i, hit := range hits {
				if hit.Memory.ID != id {
					continue
				}
				found = true
				fits := reason == "the best fact scores" || reason == "the type of work"
				if !strings.Contains(hit.Why, reason) || hit.Fits != fits || fits && i > 0 {
					t.Errorf("%q, %s at place %d: %+v, want %q", prompt, id, i, hit, reason)
				}
			}
			if !found {
				t.Errorf("%q: %s is not among %+v", prompt, id, hits)
			}
		}
	}
}
