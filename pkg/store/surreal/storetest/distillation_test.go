package storetest

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func waiting(session string, n int) memory.Distillation {
	return memory.Distillation{Session: session, State: memory.DistillationWaiting, Trigger: "session_end", NextTry: minute(n), QueuedAt: minute(n)}
}

func queued(t *testing.T, store Store, q memory.DistillationQuery) []memory.Distillation {
	t.Helper()
	return musttest.Get(store.Distillations(t.Context(), q))(t)
}

func distillations(t *testing.T, store Store) {
	first, second := waiting("s1", 2), waiting("s2", 1)
	enqueue := func(all ...memory.Distillation) {
		t.Helper()
		ingest(t, store, memory.Batch{Queued: all})
	}
	enqueue(waiting("s1", 5), second)
	enqueue(first) // earlier
	enqueue(waiting("s1", 9), waiting("s2", 9))
	enqueue()
	open := []memory.DistillationState{memory.DistillationWaiting, memory.DistillationRunning}
	equal(t, "waiting", []memory.Distillation{second, first}, queued(t, store, memory.DistillationQuery{States: open}))
	equal(t, "the next", []memory.Distillation{second}, queued(t, store, memory.DistillationQuery{States: open, Limit: 1}))
	equal(t, "that of one session", []memory.Distillation{first}, queued(t, store, memory.DistillationQuery{States: open, Sessions: []string{first.Session, "none"}}))
	equal(t, "those of no session", 0, len(queued(t, store, memory.DistillationQuery{States: open, Sessions: []string{}})))

	lease := musttest.Get(store.Lease(t.Context(), memory.Lease{Name: "distillation", Holder: "me"}, time.Minute))(t)
	first.State, first.Tries, first.Reason, first.Notes = memory.DistillationDead, 3, "no answer", []string{"a fact", "another"}
	commit(t, store, memory.Commit{Lease: &lease, Distillation: &first})
	equal(t, "dead", []memory.Distillation{first}, queued(t, store, memory.DistillationQuery{States: []memory.DistillationState{memory.DistillationDead}}))
	again := waiting("s1", 7)
	enqueue(again)
	equal(t, "requested again", []memory.Distillation{second, again}, queued(t, store, memory.DistillationQuery{States: open}))

	failed := waiting("s3", 8)
	failed.Tries = 1
	commit(t, store, memory.Commit{Lease: &lease, Distillation: &failed})
	enqueue(waiting("s3", 3))
	equal(t, "waiting after a failure", []memory.Distillation{failed}, queued(t, store, memory.DistillationQuery{States: open, Sessions: []string{"s3"}}))
	failed.State = memory.DistillationDone
	commit(t, store, memory.Commit{Lease: &lease, Distillation: &failed})

	musttest.Get(store.Lease(t.Context(), lease, 0))(t)
	musttest.Get(store.Lease(t.Context(), memory.Lease{Name: "distillation", Holder: "another"}, time.Minute))(t)
	musttest.Is(t, memory.ErrLeaseLost, musttest.Err(store.Commit(t.Context(), memory.Commit{Lease: &lease, Distillation: &first})), "saved under a lease that was lost")
	equal(t, "still waiting", []memory.Distillation{second, again}, queued(t, store, memory.DistillationQuery{States: open}))
}

func spend(id, session, job string, at time.Time, tokens int) memory.Spend {
	return memory.Spend{ID: id, At: at, Session: session, Job: job, Runner: "claude", Model: "haiku", Input: tokens, Output: 1, USD: 0.5}
}

func saveSpend(t *testing.T, store Store, all ...memory.Spend) {
	t.Helper()
	for _, one := range all {
		ingest(t, store, memory.Batch{Spent: []memory.Spend{one}})
	}
}

func spent(t *testing.T, store Store) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 23, 59, 0, 0, time.UTC) }
	failed := spend("c3", "s2", "part", day(2), 7)
	failed.Estimated, failed.Error = true, "no answer"
	saveSpend(t, store, spend("c1", "s1", "part", day(1), 1), spend("c2", "s1", "part", day(2), 10), spend("c4", "s1", "whole", day(2), 100), failed)
	saveSpend(t, store, spend("c2", "s1", "part", day(2), 20)) // its cost in the end
	equal(t, "costs", []memory.SpendTotal{
		{Day: "2026-11-01", Calls: 1, Input: 1, Output: 1, USD: 0.5},
		{Day: "2026-11-02", Calls: 3, Failed: 1, Estimated: 1, Input: 127, Output: 3, USD: 1.5},
	}, musttest.Get(store.Totals(t.Context(), memory.SpendQuery{}))(t).Spent)
	equal(t, "costs of a session since a day", []memory.SpendTotal{
		{Day: "2026-11-02", Calls: 2, Input: 120, Output: 2, USD: 1},
	}, musttest.Get(store.Totals(t.Context(), memory.SpendQuery{Since: day(2), Session: "s1"}))(t).Spent)
}

func derived(t *testing.T, store Store) {
	source, fact := note("p", "the port is 6543", minute(1)), note("p", "port 6543 is fixed by the proxy", minute(2))
	batch := memory.Batch{Memories: []memory.Memory{source, fact}, Derived: []memory.Derivation{{Memory: fact.ID, From: source.ID}}}
	ingest(t, store, batch)
	ingest(t, store, batch)
	equal(t, "sources of the derived memory", []string{source.ID}, rowOf(t, store, fact.ID).DerivedFrom)
	equal(t, "sources of the source", []string(nil), rowOf(t, store, source.ID).DerivedFrom)
}

func purgedDistillation(t *testing.T, store Store) {
	ingest(t, store, memory.Batch{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: minute(1)}, {Key: "q", Name: "q", Root: "/q", SeenAt: minute(1)}},
		Sessions: []memory.Session{session("s1", "p"), session("s2", "q")},
		Queued:   []memory.Distillation{waiting("s1", 1), waiting("s2", 2)},
	})
	saveSpend(t, store, spend("c1", "s1", "part", minute(1), 5), spend("c2", "s2", "part", minute(1), 6))
	musttest.Get(store.Purge(t.Context(), "p"))(t)
	all := memory.DistillationQuery{States: []memory.DistillationState{memory.DistillationWaiting}}
	equal(t, "waiting after the purge", []memory.Distillation{waiting("s2", 2)}, queued(t, store, all))
	totals := musttest.Get(store.Totals(t.Context(), memory.SpendQuery{}))(t).Spent
	if len(totals) != 1 || totals[0].Input != 11 {
		t.Errorf("spent after the purge: %+v", totals)
	}
	equal(t, "spent on the purged session", 0, len(musttest.Get(store.Totals(t.Context(), memory.SpendQuery{Session: "s1"}))(t).Spent))
	musttest.Get(store.Purge(t.Context(), "q"))(t) // beside costs that have lost their session
	musttest.Get(store.Purge(t.Context(), ""))(t)
	equal(t, "waiting at last", 0, len(queued(t, store, all)))
	equal(t, "spent at last", 0, len(musttest.Get(store.Totals(t.Context(), memory.SpendQuery{}))(t).Spent))
}
