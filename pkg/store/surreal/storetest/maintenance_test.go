package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var maintenance = []conformance{
	{"a new row stands at its beginning", newRows},
	{"changes are read in their order, page by page", changes},
	{"changes are limited to searchable kinds, and listed by project", someChanges},
	{"a use counts once a session", uses},
	{"the sightings of a merged memory count for the target", mergedEvidence},
	{"active days are by project, sorted and once", activeDays},
	{"a commit changes the planned fields only", commitChanges},
	{"a run is found by the beginning of its id, and while it runs", runSteps},
	{"the progress of a job never goes back", jobState},
	{"a lease has one holder at a time", leases},
	{"nothing is written under a lease that was lost", lostLease},
	{"a session is in the queue of distillation once", distillations},
	{"the costs of model calls are summed up by day", spent},
	{"the source of a derived memory is recorded once", derived},
	{"a purge deletes the queue, and keeps the costs", purgedDistillation},
}

// changedSince reads all pages.
func changedSince(t *testing.T, store Store, after memory.ChangeCursor) (found []string, last memory.ChangeCursor) {
	t.Helper()
	seen := map[string]bool{}
	for q := (memory.ChangeQuery{After: after, Limit: 2}); ; {
		page := musttest.Get(store.Changed(t.Context(), q))(t)
		before := q.After
		for _, r := range page.Rows {
			if r.Cursor < before {
				t.Errorf("%q has cursor %d behind %d", r.Memory.Content, r.Cursor, before)
			}
			if before = r.Cursor; !seen[r.Memory.ID] {
				seen[r.Memory.ID] = true
				found = append(found, r.Memory.Content)
			}
		}
		if page.Cursor < before || (len(page.Rows) == 0 && page.Cursor != q.After) {
			t.Errorf("the next cursor after %d is %d, with a last row of %d", q.After, page.Cursor, before)
		}
		if q.After = page.Cursor; page.Last {
			return found, page.Cursor
		}
	}
}

func someChanges(t *testing.T, store Store) {
	said, edit := note("p", "said", minute(1)), kind(note("p", "fix", minute(1)), memory.KindFix)
	away, other := kind(note("p", "archived", minute(1)), memory.KindFix), kind(note("q", "found", minute(1)), memory.KindDiscovery)
	mine := note("", "mine", minute(1))
	mine.Scope = memory.ScopeUser
	ingest(t, store, memory.Batch{Memories: []memory.Memory{said, edit, away, other, mine}})
	put(t, store, away.ID, "r1", archiving(minute(2)))

	var found []string
	for q := (memory.ChangeQuery{Limit: 1}); ; {
		page := musttest.Get(store.Changed(t.Context(), q))(t)
		found = append(found, contents(page.Rows)...)
		if q.After = page.Cursor; page.Last {
			break
		}
	}
	slices.Sort(found)
	equal(t, "changes", []string{"archived", "fix", "found", "mine", "said"}, slices.Compact(found))
}

func newRows(t *testing.T, store Store) {
	m, written := note("p", "seen", minute(1)), note("p", "written", minute(1))
	mine, homeless := note("", "mine", minute(2)), note("", "homeless", minute(2))
	mine.Scope, homeless.Scope, homeless.Session = memory.ScopeUser, memory.ScopeUser, "unknown"
	ingest(t, store, memory.Batch{
		Sessions: []memory.Session{session("s1", "p"), session("s2", "q")}, Memories: []memory.Memory{m, written, mine, homeless},
		Sightings: []memory.Sighting{
			{ID: "e1", Memory: m.ID, Session: "s1", At: minute(1)},
			{ID: "e2", Memory: m.ID, Session: "s2", At: minute(1)},
			{ID: "e3", Memory: m.ID, Session: "s2", At: minute(2)},
			{ID: "e4", Memory: mine.ID, Session: "s1", At: minute(2)},
		},
		UserWritten: []string{written.ID, "none"},
	})
	for _, want := range []memory.Row{
		{Memory: m, Sessions: 2, Projects: 2, UsedAt: minute(1)},
		{Memory: written, UsedAt: minute(1), UserWritten: true},
		{Memory: mine, Sessions: 1, Projects: 1, UsedAt: minute(2)},
		{Memory: homeless, UsedAt: minute(2)},
	} {
		got := rowOf(t, store, want.Memory.ID)
		if got.Cursor <= 0 {
			t.Errorf("%s has cursor %d", want.Memory.Content, got.Cursor)
		}
		want.Cursor = got.Cursor
		equal(t, want.Memory.Content, want, got)
	}
}

func changes(t *testing.T, store Store) {
	found, cursor := changedSince(t, store, 0)
	equal(t, "changes of an empty store", []string(nil), found)
	batch := memory.Batch{Memories: []memory.Memory{note("p", "b", minute(1)), note("p", "c", minute(1)), note("p", "d", minute(1)), note("q", "e", minute(1))}}
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "a", minute(2))}}, batch)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("", "f", minute(1))}})
	found, cursor = changedSince(t, store, cursor)
	equal(t, "all changes", []string{"a", "b", "c", "d", "e", "f"}, sorted(found))
	equal(t, "the first and the last change", []string{"a", "f"}, []string{found[0], found[len(found)-1]})

	ingest(t, store, batch)
	c, d := batch.Memories[1].ID, batch.Memories[2].ID
	found, again := changedSince(t, store, cursor)
	equal(t, "changes by the same batch", []string(nil), found)
	equal(t, "cursor", cursor, again)

	put(t, store, d, "r1", func(s *memory.State) { s.Importance = 0.25 })
	found, cursor = changedSince(t, store, cursor)
	equal(t, "changes by a run", []string{"d"}, found)
	pinned := change(1)
	pinned.AddTags = []string{"x"}
	amend(t, store, c, pinned)
	found, cursor = changedSince(t, store, cursor)
	equal(t, "changes by a person", []string{"c"}, found)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "b", minute(3))}})
	found, cursor = changedSince(t, store, cursor)
	equal(t, "changes by a new sighting", []string{"b"}, found)
	ingest(t, store, memory.Batch{UserWritten: []string{d}}, memory.Batch{UserWritten: []string{d}})
	found, cursor = changedSince(t, store, cursor)
	equal(t, "changes by a person's request", []string{"d"}, found)
	equal(t, "the cursor of a row", rowOf(t, store, d).Cursor, cursor)
}

func uses(t *testing.T, store Store) {
	m := note("p", "used", minute(1))
	ingest(t, store, memory.Batch{Sessions: []memory.Session{session("s1", "p"), session("s2", "p")}, Memories: []memory.Memory{m}})
	use := func(session string, at time.Time) memory.Use {
		return memory.Use{Memory: m.ID, Session: session, At: at}
	}
	ingest(t, store, memory.Batch{Uses: []memory.Use{use("s1", minute(5)), use("s1", minute(6))}})
	row := rowOf(t, store, m.ID)
	if row.Uses != 1 || !row.UsedAt.Equal(minute(5)) {
		t.Errorf("used twice in a session: %d uses, at %s", row.Uses, row.UsedAt)
	}
	ingest(t, store, memory.Batch{Uses: []memory.Use{use("s1", minute(5))}}, memory.Batch{Uses: []memory.Use{use("s1", minute(6))}})
	equal(t, "the same uses again", row, rowOf(t, store, m.ID))
	ingest(t, store, memory.Batch{Uses: []memory.Use{use("s2", minute(3)), {Memory: "none", Session: "s1", At: minute(4)}}})
	row = rowOf(t, store, m.ID)
	if row.Uses != 2 || !row.UsedAt.Equal(minute(5)) {
		t.Errorf("used in two sessions: %d uses, at %s", row.Uses, row.UsedAt)
	}
	recalled := recallableRows(t, store, "p")
	if len(recalled) != 1 || recalled[0].Uses != 2 {
		t.Errorf("recallable is %+v", recalled)
	}
}

func mergedEvidence(t *testing.T, store Store) {
	survivor, other := note("p", "survivor", minute(1)), note("p", "other", minute(1))
	ingest(t, store, memory.Batch{
		Sessions: []memory.Session{session("s1", "p"), session("s2", "q"), session("s3", "q")}, Memories: []memory.Memory{survivor, other},
		Sightings: []memory.Sighting{
			{ID: "e1", Memory: survivor.ID, Session: "s1", At: minute(1)},
			{ID: "e2", Memory: survivor.ID, Session: "s2", At: minute(1)},
			{ID: "e3", Memory: other.ID, Session: "s2", At: minute(1)},
			{ID: "e4", Memory: other.ID, Session: "s3", At: minute(1)},
		},
	})
	check := func(what string, id string, sessions, projects int) {
		t.Helper()
		if row := rowOf(t, store, id); row.Sessions != sessions || row.Projects != projects {
			t.Errorf("%s: %d sessions, %d projects, want %d and %d", what, row.Sessions, row.Projects, sessions, projects)
		}
	}
	check("survivor before", survivor.ID, 2, 2)
	put(t, store, survivor.ID, "r1", func(s *memory.State) { s.DerivedFrom = []string{other.ID} })
	put(t, store, other.ID, "r2", func(s *memory.State) { s.Status, s.MergedInto = memory.StatusConsolidated, survivor.ID })
	check("survivor", survivor.ID, 3, 2)
	check("other", other.ID, 2, 1)
	put(t, store, survivor.ID, "r3", func(s *memory.State) { s.Sessions, s.Projects = 7, 5 })
	check("survivor that counts more itself", survivor.ID, 7, 5)
	for _, row := range musttest.Get(store.Changed(t.Context(), memory.ChangeQuery{Limit: 100}))(t).Rows {
		there := rowOf(t, store, row.Memory.ID)
		row.Sessions, row.Projects = there.Sessions, there.Projects // only Rows counts these again
		equal(t, "a changed row and the stored one", there, row)
	}
}

func activeDays(t *testing.T, store Store) {
	equal(t, "no days", 0, len(musttest.Get(store.Totals(t.Context(), memory.ActiveDays{}))(t).Days))
	ingest(
		t, store,
		memory.Batch{Days: []memory.ActiveDay{{Project: "p", Day: "2026-11-20"}, {Project: "p", Day: "2026-02-01"}}},
		memory.Batch{Days: []memory.ActiveDay{{Project: "q", Day: "2026-11-20"}, {Project: "p", Day: "2026-11-20"}}},
		memory.Batch{Days: []memory.ActiveDay{{Project: "p", Day: "2025-12-31"}, {Project: "a/`⟩ b", Day: "2026-01-01"}}},
	)
	equal(t, "days", map[string][]string{
		"p": {"2025-12-31", "2026-02-01", "2026-11-20"}, "q": {"2026-11-20"}, "a/`⟩ b": {"2026-01-01"},
	}, musttest.Get(store.Totals(t.Context(), memory.ActiveDays{}))(t).Days)
}

func commitChanges(t *testing.T, store Store) {
	m, mine, still := note("p", "changed walrus", minute(1)), note("p", "mine", minute(1)), note("p", "still", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m, mine, still}})
	before, untouched := rowOf(t, store, m.ID), rowOf(t, store, still.ID)
	whole := planned(before, "r1-0", "update", func(s *memory.State) {
		s.Content, s.Detail, s.Tags, s.Importance, s.Pinned = "said otherwise", "heron", []string{"x"}, 0.375, false
		s.CreatedAt, s.LastSeenAt = minute(-1), minute(4)
		s.Uses, s.Sessions, s.Projects, s.UsedAt = 2, 4, 3, minute(3)
		s.SupersededBy, s.DerivedFrom = mine.ID, []string{mine.ID, still.ID}
	})
	moved := planned(rowOf(t, store, mine.ID), "r1-1", "promote", func(s *memory.State) { s.Scope, s.Project = memory.ScopeUser, "" })
	commit(t, store, memory.Commit{Run: run("r1", whole, moved)})

	got := rowOf(t, store, m.ID)
	want := before.With(whole.After)
	if got.Cursor <= before.Cursor {
		t.Errorf("the cursor went from %d to %d", before.Cursor, got.Cursor)
	}
	want.Cursor = got.Cursor
	equal(t, "changed", want, got)
	equal(t, "of another memory", untouched, rowOf(t, store, still.ID))
	equal(t, "of the user now", []string{"mine"}, contents(musttest.Get(store.Rows(t.Context(), memory.Page{Status: memory.StatusActive, Limit: 10}))(t)))
	for text, found := range map[string]int{"walrus": 0, "heron": 1} {
		equal(t, "hits of "+text, found, len(recallableWith(t, store, text)))
	}

	// An action writes only the fields that differ between its states.
	sparse := memory.Action{ID: "r2-0", Memory: m.ID, Kind: "reinstate", Cursor: got.Cursor, Before: memory.State{SupersededBy: mine.ID}}
	commit(t, store, memory.Commit{Run: run("r2", sparse)})
	back := rowOf(t, store, m.ID)
	want.SupersededBy, want.Cursor = "", back.Cursor
	equal(t, "holds again", want, back)

	recorded := musttest.Get(memory.RunOf(t.Context(), store, "r1"))(t)
	if len(recorded.Actions) != 2 {
		t.Fatalf("%d actions are recorded", len(recorded.Actions))
	}
	for i, planned := range []memory.Action{whole, moved} {
		a := recorded.Actions[i]
		if a.ID != planned.ID || a.Memory != planned.Memory || a.Kind != planned.Kind || a.Reason != planned.Reason {
			t.Errorf("recorded is %+v", a)
		}
		names := planned.After.Changed(planned.Before)
		equal(t, "fields recorded", names, a.After.Changed(a.Before))
		equal(t, "state before", planned.Before, planned.Before.Patch(names, a.Before))
		equal(t, "state after", planned.After, planned.Before.Patch(names, a.After))
	}
}

func runSteps(t *testing.T, store Store) {
	a, b := note("p", "a", minute(1)), note("p", "b", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b}})
	first := memory.Run{
		ID: "0123456789-aa", Job: "decay", Trigger: "cron", StartedAt: minute(20), Examined: 1, Changed: 1, TokensFreed: 7,
		Actions: []memory.Action{planned(rowOf(t, store, a.ID), "0123456789-aa-0", "archive", archiving(minute(20)))},
	}
	commit(t, store, memory.Commit{Run: first})
	running := first
	running.Actions = nil
	equal(t, "runs that have not ended", []memory.Run{running}, musttest.Get(store.Runs(t.Context(), memory.RunQuery{Open: true}))(t))

	last := first
	last.EndedAt, last.Examined, last.Changed, last.TokensFreed, last.Notes, last.Error = minute(22), 5, 2, 14, []string{"waiting: 3", "and more"}, "cut short"
	last.Actions = []memory.Action{planned(rowOf(t, store, b.ID), "0123456789-aa-1", "archive", archiving(minute(21)))}
	commit(t, store, memory.Commit{Run: last})
	other := memory.Run{ID: "0123499999-bb", Job: "dedup", Trigger: "idle", StartedAt: minute(30), EndedAt: minute(31)}
	commit(t, store, memory.Commit{Run: other})
	equal(t, "runs that have not ended", 0, len(musttest.Get(store.Runs(t.Context(), memory.RunQuery{Open: true}))(t)))

	listed := last
	listed.Actions = nil
	equal(t, "runs", []memory.Run{other, listed}, musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 10}))(t))
	equal(t, "the newest run", []memory.Run{other}, musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 1}))(t))
	for _, id := range []string{"0123456789-aa", "01234567", "0123456"} {
		got := musttest.Get(memory.RunOf(t.Context(), store, id))(t)
		equal(t, "changed", []string{a.ID, b.ID}, each(got.Actions, func(a memory.Action) string { return a.Memory }))
		got.Actions = nil
		equal(t, "run "+id, listed, got)
	}
	for id, is := range map[string]error{"none": memory.ErrNotFound, "0123456789-aa-": memory.ErrNotFound, "01234": memory.ErrInvalid} {
		musttest.Is(t, is, musttest.Err(memory.RunOf(t.Context(), store, id)), "run %s", id)
	}
}

// stood returns the progress of a job.
func stood(t *testing.T, store Store, job string) memory.JobState {
	t.Helper()
	return musttest.Get(memory.StateOf(t.Context(), store, job))(t)
}

func jobState(t *testing.T, store Store) {
	equal(t, "before it ever ran", memory.JobState{Job: "decay"}, stood(t, store, "decay"))
	first, second := memory.JobState{Job: "decay", Cursor: 7, Slot: minute(3)}, memory.JobState{Job: "dedup", Cursor: 2, Slot: minute(1)}
	commit(t, store, memory.Commit{Run: run("r1"), Job: &first})
	commit(t, store, memory.Commit{Run: run("r2"), Job: &second})
	commit(t, store, memory.Commit{Run: run("r3")})
	equal(t, "one job", first, stood(t, store, "decay"))
	equal(t, "another job", second, stood(t, store, "dedup"))
	commit(t, store, memory.Commit{Run: run("r4"), Job: &memory.JobState{Job: "decay", Cursor: 5, Slot: minute(2)}})
	equal(t, "after a late run", first, stood(t, store, "decay"))
	last := memory.JobState{Job: "decay", Cursor: 9, Slot: minute(4)}
	commit(t, store, memory.Commit{Run: run("r5"), Job: &last})
	equal(t, "after the next run", last, stood(t, store, "decay"))
}

func acquire(t *testing.T, store Store, holder string) memory.Lease {
	t.Helper()
	return musttest.Get(store.Lease(t.Context(), memory.Lease{Name: "maintenance", Holder: holder}, time.Minute))(t)
}

func leases(t *testing.T, store Store) {
	refused := func(holder string) {
		t.Helper()
		if l, err := store.Lease(t.Context(), memory.Lease{Name: "maintenance", Holder: holder}, time.Minute); !errors.Is(err, memory.ErrHeld) {
			t.Errorf("%s got %+v, error %v, want ErrHeld", holder, l, err)
		}
	}
	first := acquire(t, store, "a")
	if first.Name != "maintenance" || first.Holder != "a" || first.Token < 1 {
		t.Errorf("the first lease is %+v", first)
	}
	refused("b")
	equal(t, "prolonged", first, acquire(t, store, "a"))
	musttest.Is(t, nil, musttest.Err(store.Lease(t.Context(), first, time.Minute)), "renew")
	refused("b")
	elsewhere := musttest.Get(store.Lease(t.Context(), memory.Lease{Name: "another", Holder: "b"}, time.Minute))(t)
	equal(t, "another lease", "b", elsewhere.Holder)

	musttest.Get(store.Lease(t.Context(), first, 0))(t)
	musttest.Is(t, memory.ErrLeaseLost, musttest.Err(store.Lease(t.Context(), first, time.Minute)), "renewing a released lease")
	second := acquire(t, store, "b")
	if second.Token <= first.Token {
		t.Errorf("token %d after %d", second.Token, first.Token)
	}
	musttest.Is(t, nil, musttest.Err(store.Lease(t.Context(), first, 0)), "releasing another's lease")
	refused("a")
}

func lostLease(t *testing.T, store Store) {
	m := note("p", "guarded", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m}})
	weaken := func(importance float64) func(*memory.State) {
		return func(s *memory.State) { s.Importance = importance }
	}
	first := acquire(t, store, "a")
	commit(t, store, memory.Commit{Run: run("r1", planned(rowOf(t, store, m.ID), "r1-0", "test", weaken(0.25))), Lease: &first})

	const short = 50 * time.Millisecond // by the store's own clock
	musttest.Get(store.Lease(t.Context(), first, short))(t)
	second, err := store.Lease(t.Context(), memory.Lease{Name: "maintenance", Holder: "b"}, time.Minute)
	for ticker, deadline := time.NewTicker(short/5), time.After(time.Minute); errors.Is(err, memory.ErrHeld); {
		select {
		case <-ticker.C:
			second, err = store.Lease(t.Context(), memory.Lease{Name: "maintenance", Holder: "b"}, time.Minute)
		case <-deadline:
			t.Fatal("the lease never ends")
		}
	}
	if err != nil || second.Token <= first.Token {
		t.Fatalf("taken over as %+v, error %v; it was %+v", second, err, first)
	}
	before := rowOf(t, store, m.ID)
	late := memory.Commit{Run: run("r2", planned(before, "r2-0", "test", weaken(0.125))), Lease: &first, Job: &memory.JobState{Job: "decay", Cursor: 3, Slot: minute(3)}}
	musttest.Is(t, memory.ErrLeaseLost, musttest.Err(store.Commit(t.Context(), late)), "a late commit")
	equal(t, "the row", before, rowOf(t, store, m.ID))
	equal(t, "the job", memory.JobState{Job: "decay"}, stood(t, store, "decay"))
	musttest.Is(t, memory.ErrNotFound, musttest.Err(memory.RunOf(t.Context(), store, "r2")), "the late run is recorded")
	musttest.Is(t, memory.ErrLeaseLost, musttest.Err(store.Lease(t.Context(), first, time.Minute)), "a late renewal")
	late.Lease = &second
	commit(t, store, late)
	equal(t, "under the new lease", 0.125, rowOf(t, store, m.ID).Memory.Importance)
}
