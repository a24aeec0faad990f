package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func amendInPlace(t *testing.T, store Store) {
	m := note("p", "the port is 6543", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})

	away := change(1)
	away.Status, away.Reason = memory.StatusArchived, "moved\nto another cluster"
	before, after := amend(t, store, m.ID, away)
	equal(t, "before", m, before)
	want := m
	want.Status = memory.StatusArchived
	want.Detail = "Archived on " + away.At.UTC().Format("2006-01-02") + ": moved to another cluster\n" + m.Detail
	equal(t, "archived", want, after)
	equal(t, "recallable memories", []string(nil), contents(recallableRows(t, store, "p")))
	if hits := recallableWith(t, store, "port"); len(hits) > 0 {
		t.Errorf("an archived memory was found: %+v", hits)
	}

	again := change(2)
	again.Status = memory.StatusArchived
	_, after = amend(t, store, m.ID, again)
	equal(t, "archived twice", want, after)

	back := change(3)
	back.Status = memory.StatusActive
	_, after = amend(t, store, m.ID, back)
	equal(t, "restored", m, after)
	if hits := recallableWith(t, store, "port"); len(hits) != 1 {
		t.Errorf("a restored memory was found %d times", len(hits))
	}

	rest, importance, pinned := change(4), 0.75, false
	rest.AddTags, rest.RemoveTags, rest.Importance, rest.Pinned = []string{"db", "a"}, []string{"b", "none"}, &importance, &pinned
	rest.Scope, rest.Count = memory.ScopeUser, memory.TokenCount{Tokens: 9, Encoding: "words"}
	_, after = amend(t, store, m.ID, rest)
	want = m
	want.Tags, want.Importance, want.Pinned = []string{"a", "db"}, importance, pinned
	want.Scope, want.Project, want.TokenCount, want.TokenEncoding = memory.ScopeUser, "", 9, "words"
	equal(t, "tagged, weighed and promoted", want, after)
	equal(t, "memories recallable in another project", []string{m.Content}, contents(recallableRows(t, store, "q")))

	todo := change(5)
	todo.Kind = memory.KindTodo
	_, after = amend(t, store, m.ID, todo)
	want.Kind, want.TokenCount, want.TokenEncoding = memory.KindTodo, after.TokenCount, after.TokenEncoding
	equal(t, "of another kind", want, after)
	for _, kind := range []memory.Kind{memory.KindEdit, "nonsense"} {
		record := change(6)
		record.Kind = kind
		if _, _, err := store.Amend(t.Context(), m.ID, record); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("a statement becomes of kind %s: %v", kind, err)
		}
	}

	var jobs []string
	for _, run := range must[[]memory.Run](t)(store.Runs(t.Context(), memory.RunQuery{Limit: 10})) {
		jobs = append(jobs, fmt.Sprint(run.ID, " ", run.Job, " ", run.Trigger, " ", run.Changed))
	}
	equal(t, "runs, without the change that changed nothing",
		[]string{"change-5 amend mcp 1", "change-4 amend mcp 1", "change-3 amend mcp 1", "change-1 amend mcp 1"}, jobs)
}

func amendContent(t *testing.T, store Store) {
	m := note("p", "the port is 6543", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})
	update := change(1)
	update.Content, update.Reason = " the port is 7654,\nand not 6543 ", "moved"
	before, after := amend(t, store, m.ID, update)
	equal(t, "before", m, before)
	want := m
	want.Content, want.Detail = "the port is 7654, and not 6543", "the port is 7654,\nand not 6543"
	want.ID = memory.NewID(memory.ScopeProject, "p", want.Content)
	want.CreatedAt, want.LastSeenAt, want.TokenCount, want.TokenEncoding = update.At, update.At, 0, ""
	want.Fingerprints = nil
	equal(t, "successor", want, after)
	old := must[memory.Memory](t)(memory.Find(t.Context(), store, m.ID))
	if old.Status != memory.StatusArchived || old.Content != m.Content || !strings.Contains(old.Detail, want.ID+": moved") {
		t.Errorf("the old memory is %+v", old)
	}

	// The author of the new wording decides whether the user wrote it.
	for by, isUsers := range map[string]bool{"mcp": false, memory.ByPerson: true, memory.ByDashboard: true} {
		reworded := note("p", "first worded by nobody, then by "+by, minute(1))
		ingest(t, store, memory.Batch{Memories: []memory.Memory{reworded}})
		words := change(1)
		words.ID, words.By, words.Content = "words-"+by, by, "the words of "+by
		_, after := amend(t, store, reworded.ID, words)
		if rows := must[[]memory.Row](t)(store.Rows(t.Context(), memory.WithIDs{after.ID})); len(rows) != 1 || rows[0].UserWritten != isUsers {
			t.Errorf("reworded by %s: %+v", by, rows)
		}
		amend(t, store, after.ID, memory.Change{ID: "away-" + by, At: minute(2), Status: memory.StatusArchived})
	}

	// Back to the first text: the old row comes back, and the edges of both changes are
	// there.
	undo := change(2)
	undo.Content = m.Content
	_, after = amend(t, store, want.ID, undo)
	if after.ID != m.ID || after.Status != memory.StatusActive || after.CreatedAt != m.CreatedAt {
		t.Errorf("the first memory came back as %+v", after)
	}
	equal(t, "recallable memories", []string{m.Content}, contents(recallableRows(t, store, "p")))

	same := change(3)
	same.Content = "the  port is 6543."
	if before, after := amend(t, store, m.ID, same); before.ID != after.ID || after.Content != m.Content {
		t.Errorf("the same words made %+v", after)
	}
}

func amendRefused(t *testing.T, store Store) {
	m, gone := note("p", "kept", minute(1)), note("p", "gone", minute(1))
	gone.Status = memory.StatusForgotten
	archived := note("p", "archived", minute(1))
	archived.Status = memory.StatusArchived
	merged := note("p", "merged", minute(1))
	merged.Status = memory.StatusConsolidated
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m, gone, archived, merged}})
	tooMuch := 1.5
	for name, c := range map[string]struct {
		id   string
		with func(*memory.Change)
		is   error
	}{
		"unknown":          {"nobody", func(c *memory.Change) { c.Status = memory.StatusActive }, memory.ErrNotFound},
		"hostile id":       {"x`; DELETE memory; --", func(c *memory.Change) { c.Pinned = new(bool) }, memory.ErrNotFound},
		"without its text": {gone.ID, func(c *memory.Change) { c.Status = memory.StatusActive }, memory.ErrInvalid},
		"narrower":         {m.ID, func(c *memory.Change) { c.Scope = memory.ScopeSession }, memory.ErrInvalid},
		"unknown scope":    {m.ID, func(c *memory.Change) { c.Scope = "world" }, memory.ErrInvalid},
		"forgotten":        {m.ID, func(c *memory.Change) { c.Status = memory.StatusForgotten }, memory.ErrInvalid},
		"too important":    {m.ID, func(c *memory.Change) { c.Importance = &tooMuch }, memory.ErrInvalid},
		"empty":            {m.ID, func(c *memory.Change) { c.Content = " ." }, memory.ErrInvalid},
		"too long":         {m.ID, func(c *memory.Change) { c.Content = strings.Repeat("x", memory.MaxContent+1) }, memory.ErrInvalid},
		"archived":         {archived.ID, func(c *memory.Change) { c.Content = "new" }, memory.ErrInvalid},
		"merged":           {merged.ID, func(c *memory.Change) { c.Content = "new" }, memory.ErrInvalid},
	} {
		change := change(1)
		c.with(&change)
		if _, _, err := store.Amend(t.Context(), c.id, change); !errors.Is(err, c.is) {
			t.Errorf("%s: error %v, want %v", name, err, c.is)
		}
	}
	equal(t, "memory", m, must[memory.Memory](t)(memory.Find(t.Context(), store, m.ID)))
	equal(t, "runs", 0, len(must[[]memory.Run](t)(store.Runs(t.Context(), memory.RunQuery{Limit: 10}))))
}

func amendAtOnce(t *testing.T, store Store) {
	m := note("p", "contended", minute(1))
	m.Tags = nil
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})
	const writers = 4
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			c := change(n)
			c.AddTags = []string{fmt.Sprint("tag-", n)}
			if _, _, err := store.Amend(t.Context(), m.ID, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, "tags", []string{"tag-0", "tag-1", "tag-2", "tag-3"}, must[memory.Memory](t)(memory.Find(t.Context(), store, m.ID)).Tags)
}

func around(t *testing.T, store Store) {
	var all []memory.Memory
	for n := range 6 {
		all = append(all, note("p", fmt.Sprint("memory ", n), minute(n)))
	}
	hidden := note("p", "archived", minute(3))
	hidden.Status = memory.StatusArchived
	all = append(all, note("q", "another project", minute(3)), hidden)
	slices.Reverse(all)
	ingest(t, store, memory.Batch{Memories: all})
	q := memory.Around{Project: "p", At: minute(3), Before: 2, After: 1}
	equal(t, "around", []string{"memory 2", "memory 3", "memory 4"}, ids(must[[]memory.Memory](t)(memory.Memories(t.Context(), store, q))))
	q = memory.Around{Project: "p", At: minute(9), Before: 1, After: 5}
	equal(t, "after all", []string{"memory 5"}, ids(must[[]memory.Memory](t)(memory.Memories(t.Context(), store, q))))
}

func expand(t *testing.T, store Store) {
	a, b := note("p", "a", minute(1)), note("p", "b", minute(1))
	a.ID, b.ID = "0123456789ab"+strings.Repeat("0", 20), "0123456789ff"+strings.Repeat("f", 20)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b}})
	for beginning, id := range map[string]string{a.ID[:11]: a.ID, b.ID[:12]: b.ID, a.ID: a.ID, b.ID: b.ID} {
		equal(t, beginning, id, must[memory.Memory](t)(memory.Find(t.Context(), store, beginning)).ID)
	}
	if _, err := memory.Find(t.Context(), store, a.ID[:10]); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("two memories begin alike: error %v, want ErrInvalid", err)
	}
	equal(t, "those that begin so", []string{"a", "b"}, ids(must[[]memory.Memory](t)(memory.Memories(t.Context(), store, memory.Beginning(a.ID[:4])))))
	for _, unknown := range []string{"", "012", "0123456788", a.ID + "0", "x'; DELETE memory", "0123456789AB"} {
		equal(t, "those that begin with "+unknown, 0, len(must[[]memory.Memory](t)(memory.Memories(t.Context(), store, memory.Beginning(unknown)))))
		if m, err := memory.Find(t.Context(), store, unknown); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("%q: id %q, error %v, want ErrNotFound", unknown, m.ID, err)
		}
	}
}

// pages reads a project's archived memories page by page.
func pages(t *testing.T, store Store) {
	empty := must[[]memory.Row](t)(store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusArchived, Limit: 10}))
	equal(t, "an empty store", 0, len(empty))
	var all []memory.Memory
	var archived []string
	for n := range 7 {
		m := note("p", fmt.Sprint("memory ", n), minute(n))
		all, archived = append(all, m), append(archived, m.ID)
	}
	unknown := note("p", "archived before anybody noted when", minute(2))
	unknown.Status = memory.StatusArchived
	elsewhere, mine := note("q", "another project", minute(3)), note("", "the user's", minute(3))
	mine.Scope = memory.ScopeUser
	ingest(t, store, memory.Batch{Memories: append(all, note("p", "active", minute(9)), unknown, elsewhere, mine)})
	put(t, store, elsewhere.ID, "r0", archiving(minute(20)))
	put(t, store, mine.ID, "r1", archiving(minute(20)))
	for i, id := range archived { // five at the same time, as a run does
		at := minute(30)
		if i >= 5 {
			at = minute(30 + i)
		}
		put(t, store, id, fmt.Sprint("r-", i), archiving(at))
	}
	tied := slices.Sorted(slices.Values(archived[:5]))
	want := append(append([]string{archived[6], archived[5]}, tied...), unknown.ID)
	for limit := 1; limit < 10; limit += 2 {
		var got []string
		for q := (memory.Page{Project: "p", Status: memory.StatusArchived, Limit: limit}); ; {
			page := must[[]memory.Row](t)(store.Rows(t.Context(), q))
			for _, one := range page {
				got = append(got, one.Memory.ID)
				equal(t, "order", memory.PageOrder(rowOf(t, store, one.Memory.ID)), memory.PageOrder(one))
			}
			if len(page) < limit {
				break
			}
			q.After = memory.PageOrder(page[len(page)-1])
		}
		equal(t, fmt.Sprint("in pages of ", limit), want, got)
	}
	equal(t, "the user's", 1, len(must[[]memory.Row](t)(store.Rows(t.Context(), memory.Page{Status: memory.StatusArchived, Limit: 10}))))
	equal(t, "active", 1, len(must[[]memory.Row](t)(store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusActive, Limit: 10}))))
}

// judged finds a person's verdicts in all projects, also after a verdict is revoked.
func judged(t *testing.T, store Store) {
	a, b, c, d := note("p", "a", minute(1)), note("q", "b", minute(1)), note("p", "c", minute(1)), note("p", "d", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b, c, d}})
	confirm, away := change(1), change(2)
	confirm.AddTags = []string{memory.TagConfirmed}
	away.Status, away.AddTags = memory.StatusArchived, []string{memory.TagRejected}
	amend(t, store, a.ID, confirm)
	amend(t, store, b.ID, away)
	taken, back := change(3), change(4)
	taken.AddTags, back.RemoveTags = []string{memory.TagConfirmed}, []string{memory.TagConfirmed}
	amend(t, store, c.ID, taken)
	amend(t, store, c.ID, back)
	got := ids(must[[]memory.Memory](t)(memory.Memories(t.Context(), store, memory.Judged{})))
	slices.Sort(got)
	want := ids([]memory.Memory{a, b})
	slices.Sort(want)
	equal(t, "judged", want, got)
}
