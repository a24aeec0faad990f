package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func expand(t *testing.T, store Store) {
	a, b := note("p", "a", minute(1)), note("p", "b", minute(1))
	a.ID, b.ID = "0123456789ab"+strings.Repeat("0", 20), "0123456789ff"+strings.Repeat("f", 20)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b}})
	for beginning, id := range map[string]string{a.ID[:11]: a.ID, b.ID[:12]: b.ID, a.ID: a.ID, b.ID: b.ID} {
		equal(t, beginning, id, musttest.Get(memory.Find(t.Context(), store, beginning))(t).ID)
	}
	musttest.Is(t, memory.ErrInvalid, musttest.Err(memory.Find(t.Context(), store, a.ID[:10])), "two memories begin alike")
	equal(t, "those that begin so", []string{"a", "b"}, ids(musttest.Get(memory.Memories(t.Context(), store, memory.IDPrefix(a.ID[:4])))(t)))
	for _, unknown := range []string{"", "012", "0123456788", a.ID + "0", "x'; DELETE memory", "0123456789AB"} {
		equal(t, "those that begin with "+unknown, 0, len(musttest.Get(memory.Memories(t.Context(), store, memory.IDPrefix(unknown)))(t)))
		musttest.Is(t, memory.ErrNotFound, musttest.Err(memory.Find(t.Context(), store, unknown)), "%q", unknown)
	}
}

// pages reads a project's archived memories page by page.
func pages(t *testing.T, store Store) {
	empty := musttest.Get(store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusArchived, Limit: 10}))(t)
	equal(t, "an empty store", 0, len(empty))
	var all []memory.Memory
	var archived []string
	for n := range 7 {
		m := note("p", fmt.Sprint("memory ", n), minute(n))
		all, archived = append(all, m), append(archived, m.ID)
	}
	unknown := note("p", "archived before anybody noted when", minute(2))
	unknown.Status, unknown.Title, unknown.Area = memory.StatusArchived, "unknown", "nowhere"
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
			page := musttest.Get(store.Rows(t.Context(), q))(t)
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
	equal(t, "the user's", 1, len(musttest.Get(store.Rows(t.Context(), memory.Page{Status: memory.StatusArchived, Limit: 10}))(t)))
	equal(t, "active", 1, len(musttest.Get(store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusActive, Limit: 10}))(t)))
}
