package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// TestTheBookDecides has the rules that pkg/memory/book alone decides.
func TestTheBookDecides(t *testing.T) {
	for _, test := range []conformance{
		{"the order of batches does not matter", anyOrder},
		{"the newest event decides a session's state", sessionState},
		{"a memory seen again takes the newer detail and keeps its first date", seenAgain},
		{"the most trusted of several sources decides the wording, in any order", trusted},
		{"a memory seen again has the cues of both and the newest title", seenCues},
		{"a change of a memory in place, and back", amendInPlace},
		{"a change of the content makes a successor", amendContent},
		{"an invalid change is refused", amendRefused},
		{"a memory seen again comes back, unless a person archived it", seenAgainRules},
		{"a new sighting of a merged memory counts for the target", seenMerged},
		{"an action that needs an active memory is skipped without it", commitNeeds},
		{"a group of actions is applied as a whole or not at all", commitGroups},
		{"no run restores a memory that a person archived", commitRejected},
		{"a commit twice is one", commitTwice},
		{"a commit can exempt the memories that it changes", commitKeep},
		{"a change is a run with its action", amendAction},
		{"a row changed since planning is skipped", commitStale},
		{"changes at the same time are all made", amendAtOnce},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, surrealtest.Empty(t)) })
	}
}

func anyOrder(t *testing.T, store Store) {
	batches := make([]memory.Batch, 0, 6)
	for i := range 6 {
		b := FullBatch()
		b.Memories[0] = note("p", "the port is 6543", minute(i))
		b.Memories[0].Cues, b.Memories[0].Everywhere = []string{fmt.Sprint("cue ", i), "port"}, i == 2
		b.Sightings[0] = memory.Sighting{ID: fmt.Sprint("e", i), Memory: b.Memories[0].ID, Session: "s1", At: minute(i)}
		b.Prompts[0].ID, b.Prompts[0].At = fmt.Sprint("e", i), minute(i)
		b.Sessions[0].LastEventAt = minute(i)
		b.Sessions[0].Dir = fmt.Sprint("/dir", i)
		if i == 4 {
			b.Sessions[0] = ended(b.Sessions[0], minute(4))
			b.Sessions[0].Dir = "/dir4"
		}
		batches = append(batches, b)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var first memory.SessionRecord
	for round := range 4 {
		// Each round writes to a session of its own, in another order.
		id := fmt.Sprint("round", round)
		for _, i := range rng.Perm(len(batches)) {
			b := batches[i]
			b.Sessions = []memory.Session{b.Sessions[0]}
			b.Sessions[0].ID = id
			b.Prompts = []memory.Prompt{{ID: id + b.Prompts[0].ID, Session: id, Project: "p", Text: "x", At: b.Prompts[0].At}}
			b.SessionEvents, b.Injections = nil, nil
			b.Sightings = []memory.Sighting{{ID: id + b.Sightings[0].ID, Memory: b.Memories[0].ID, Session: id, At: b.Sightings[0].At}}
			ingest(t, store, b)
		}
		got := musttest.Get(memory.RecordOf(t.Context(), store, id))(t)
		if got.Session.Dir != "/dir5" || got.Session.State != memory.SessionCompleted || got.Session.PromptCount != 6 {
			t.Errorf("round %d ends as %+v", round, got.Session)
		}
		got.Session.ID = ""
		for i := range got.Prompts {
			got.Prompts[i].ID, got.Prompts[i].Session = "", ""
		}
		for i := range got.Seen {
			got.Seen[i].ID = ""
		}
		if round == 0 {
			first = got
		}
		equal(t, "record of another order", first, got)
	}
}

func sessionState(t *testing.T, store Store) {
	check := func(what string, state memory.SessionState, endedAt time.Time) {
		t.Helper()
		got := musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t).Session
		if got.State != state || !got.EndedAt.Equal(endedAt) {
			t.Errorf("%s: state %s, ended at %s", what, got.State, got.EndedAt)
		}
	}
	batch := func(s memory.Session) memory.Batch { return memory.Batch{Sessions: []memory.Session{s}} }
	start := session("s1", "p")
	ingest(t, store, batch(start))
	check("started", memory.SessionActive, time.Time{})

	ingest(t, store, batch(ended(start, minute(5))))
	check("ended", memory.SessionCompleted, minute(5))

	late := start // a hook that ran late has no effect on the state
	late.StateAt, late.LastEventAt = time.Time{}, minute(6)
	ingest(t, store, batch(late))
	check("late event", memory.SessionCompleted, minute(5))

	resumed := start
	resumed.StateAt, resumed.LastEventAt, resumed.Source, resumed.SourceAt = minute(9), minute(9), "resume", minute(9)
	ingest(t, store, batch(resumed), batch(ended(start, minute(5))))
	check("resumed", memory.SessionActive, time.Time{})
	if got := musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t).Session; got.Source != "resume" || !got.StartedAt.Equal(minute(0)) {
		t.Errorf("resumed session is %+v", got)
	}
}

func seenAgain(t *testing.T, store Store) {
	first, second := note("p", "x", minute(1)), note("p", "x", minute(2))
	second.Tags = []string{"c"}
	second.Importance = 0.9 // decided when it was first written
	ingest(t, store, memory.Batch{Memories: []memory.Memory{second}}, memory.Batch{Memories: []memory.Memory{first}})
	got := musttest.Get(memory.Find(t.Context(), store, first.ID))(t)
	want := second
	want.CreatedAt, want.Tags = first.CreatedAt, []string{"a", "b", "c"}
	equal(t, "memory", want, got)
}

// trusted ingests the statements of four sources, each alone, in every order.
func trusted(t *testing.T, store Store) {
	sightings := func(project string) []memory.Memory {
		return []memory.Memory{
			stated(project, memory.SourceTool, memory.KindNote, 4),
			stated(project, memory.SourceUser, memory.KindConvention, 2),
			stated(project, memory.SourceAssistant, memory.KindDecision, 3),
			stated(project, "", memory.KindNote, 2),
		}
	}
	orders := map[string][]int{} // by project
	permute([]int{0, 1, 2, 3}, func(order []int) { orders[fmt.Sprint("in the order ", order)] = order })
	for step := range 4 {
		var b memory.Batch
		for project, order := range orders {
			b.Memories = append(b.Memories, sightings(project)[order[step]])
		}
		ingest(t, store, b)
	}
	for project := range orders {
		want := sightings(project)[1] // also the time: only the user says the user's words again
		equal(t, project, want, musttest.Get(memory.Find(t.Context(), store, want.ID))(t))
	}
}

func seenCues(t *testing.T, store Store) {
	m, plain := note("p", "the port is 6543", minute(1)), note("p", "plain", minute(1))
	plain.Cues, plain.Everywhere = nil, false
	m.Cues, m.Everywhere = []string{"which port", "bind"}, false
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m, plain}})
	older := note("p", m.Content, minute(0))
	older.Cues, older.Everywhere = []string{"bind", "address in use"}, true
	older.Title, older.Area = "the port", "net"
	plainly := note("p", plain.Content, minute(2))
	plainly.Cues, plainly.Everywhere = nil, false
	ingest(t, store, memory.Batch{Memories: []memory.Memory{older, plainly}})
	got := musttest.Get(memory.Find(t.Context(), store, m.ID))(t)
	equal(t, "cues", []string{"address in use", "bind", "which port"}, got.Cues)
	equal(t, "everywhere", true, got.Everywhere)
	equal(t, "title and area of a sighting that has them", [2]string{"the port", "net"}, [2]string{got.Title, got.Area})
	newer := note("p", m.Content, minute(3))
	newer.Title, newer.Area = "port 6543", "servers"
	ingest(t, store, memory.Batch{Memories: []memory.Memory{newer}})
	got = musttest.Get(memory.Find(t.Context(), store, m.ID))(t)
	equal(t, "title and area of the newest that has them", [2]string{"port 6543", "servers"}, [2]string{got.Title, got.Area})
	untitled := note("p", m.Content, minute(4))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{untitled}})
	got = musttest.Get(memory.Find(t.Context(), store, m.ID))(t)
	equal(t, "a sighting without a title leaves both", [2]string{"port 6543", "servers"}, [2]string{got.Title, got.Area})
	got = musttest.Get(memory.Find(t.Context(), store, plain.ID))(t)
	equal(t, "cues of a memory without any", 0, len(got.Cues))
	equal(t, "everywhere of a memory that is not", false, got.Everywhere)
}

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
	musttest.Same(t, 0, len(recallableWith(t, store, "port")), "how often an archived memory was found")

	again := change(2)
	again.Status = memory.StatusArchived
	_, after = amend(t, store, m.ID, again)
	equal(t, "archived twice", want, after)

	back := change(3)
	back.Status = memory.StatusActive
	_, after = amend(t, store, m.ID, back)
	equal(t, "restored", m, after)
	musttest.Same(t, 1, len(recallableWith(t, store, "port")), "how often a restored memory was found")

	rest, importance, pinned := change(4), 0.75, false
	rest.AddTags, rest.RemoveTags, rest.Importance, rest.Pinned = []string{"db", "a"}, []string{"b", "none"}, &importance, &pinned
	rest.Scope = memory.ScopeUser
	_, after = amend(t, store, m.ID, rest)
	want = m
	want.Tags, want.Importance, want.Pinned = []string{"a", "db"}, importance, pinned
	want.Scope, want.Project = memory.ScopeUser, ""
	equal(t, "tagged, weighed and promoted", want, after)
	equal(t, "memories recallable in another project", []string{m.Content}, contents(recallableRows(t, store, "q")))

	todo := change(5)
	todo.Kind = memory.KindTodo
	_, after = amend(t, store, m.ID, todo)
	want.Kind = memory.KindTodo
	equal(t, "of another kind", want, after)
	for _, kind := range []memory.Kind{memory.KindFix, "nonsense"} {
		record := change(6)
		record.Kind = kind
		if _, _, err := store.Amend(t.Context(), m.ID, record); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("a statement becomes of kind %s: %v", kind, err)
		}
	}

	var jobs []string
	for _, run := range musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 10}))(t) {
		jobs = append(jobs, fmt.Sprint(run.ID, " ", run.Job, " ", run.Trigger, " ", run.Changed))
	}
	equal(t, "runs, without the change that changed nothing", []string{"change-5 amend mcp 1", "change-4 amend mcp 1", "change-3 amend mcp 1", "change-1 amend mcp 1"}, jobs)
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
	want.CreatedAt, want.LastSeenAt = update.At, update.At
	equal(t, "successor", want, after)
	old := musttest.Get(memory.Find(t.Context(), store, m.ID))(t)
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
		if rows := musttest.Get(store.Rows(t.Context(), memory.WithIDs{after.ID}))(t); len(rows) != 1 || rows[0].UserWritten != isUsers {
			t.Errorf("reworded by %s: %+v", by, rows)
		}
		amend(t, store, after.ID, memory.Change{ID: "away-" + by, At: minute(2), Status: memory.StatusArchived})
	}

	// Back to the first text: the old row comes back, and the edges of both changes are there.
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
	m := note("p", "kept", minute(1))
	archived := note("p", "archived", minute(1))
	archived.Status = memory.StatusArchived
	merged := note("p", "merged", minute(1))
	merged.Status = memory.StatusConsolidated
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m, archived, merged}})
	tooMuch := 1.5
	for name, c := range map[string]struct {
		id   string
		with func(*memory.Change)
		is   error
	}{
		"unknown":       {"nobody", func(c *memory.Change) { c.Status = memory.StatusActive }, memory.ErrNotFound},
		"hostile id":    {"x`; DELETE memory; --", func(c *memory.Change) { c.Pinned = new(bool) }, memory.ErrNotFound},
		"unknown scope": {m.ID, func(c *memory.Change) { c.Scope = "world" }, memory.ErrInvalid},
		"to be merged":  {m.ID, func(c *memory.Change) { c.Status = memory.StatusConsolidated }, memory.ErrInvalid},
		"too important": {m.ID, func(c *memory.Change) { c.Importance = &tooMuch }, memory.ErrInvalid},
		"empty":         {m.ID, func(c *memory.Change) { c.Content = " ." }, memory.ErrInvalid},
		"too long":      {m.ID, func(c *memory.Change) { c.Content = strings.Repeat("x", memory.MaxContent+1) }, memory.ErrInvalid},
		"archived":      {archived.ID, func(c *memory.Change) { c.Content = "new" }, memory.ErrInvalid},
		"merged":        {merged.ID, func(c *memory.Change) { c.Content = "new" }, memory.ErrInvalid},
	} {
		change := change(1)
		c.with(&change)
		if _, _, err := store.Amend(t.Context(), c.id, change); !errors.Is(err, c.is) {
			t.Errorf("%s: error %v, want %v", name, err, c.is)
		}
	}
	equal(t, "memory", m, musttest.Get(memory.Find(t.Context(), store, m.ID))(t))
	equal(t, "runs", 0, len(musttest.Get(store.Runs(t.Context(), memory.RunQuery{Limit: 10}))(t)))
}

func seenAgainRules(t *testing.T, store Store) {
	archived := note("p", "archived walrus", minute(1))
	away, older := note("p", "archived", minute(1)), note("p", "seen before", minute(5))
	restored := note("p", "restored", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{archived, away, older, restored}})
	for i, id := range []string{archived.ID, older.ID} {
		put(t, store, id, fmt.Sprint("r", i), archiving(minute(7)))
	}
	put1, put2, back := change(1), change(2), change(3)
	put1.Status, put2.Status, back.Status = memory.StatusArchived, memory.StatusArchived, memory.StatusActive
	amend(t, store, away.ID, put1)
	amend(t, store, restored.ID, put2)
	amend(t, store, restored.ID, back)
	put(t, store, restored.ID, "r4", archiving(minute(14)))

	again := func(m memory.Memory, n int) memory.Memory { return note(m.Project, m.Content, minute(n)) }
	ingest(t, store, memory.Batch{Memories: []memory.Memory{again(archived, 30), again(away, 32), again(older, 4), again(restored, 33)}})
	for _, m := range []memory.Memory{again(archived, 30), again(restored, 33)} {
		row := rowOf(t, store, m.ID)
		want := m
		want.CreatedAt = minute(1)
		equal(t, m.Content, want, row.Memory)
		if !row.UsedAt.Equal(m.LastSeenAt) || !row.RetiredAt.IsZero() {
			t.Errorf("%s was used at %s, retired at %s", m.Content, row.UsedAt, row.RetiredAt)
		}
	}
	equal(t, "archived by a person and seen again", memory.StatusArchived, rowOf(t, store, away.ID).Memory.Status)
	equal(t, "archived, and seen before that", memory.StatusArchived, rowOf(t, store, older.ID).Memory.Status)
	equal(t, "retired at", minute(7), rowOf(t, store, older.ID).RetiredAt)
	hits := recallableWith(t, store, "walrus")
	equal(t, "found again", 1, len(hits))
}

func seenMerged(t *testing.T, store Store) {
	survivor, other := note("p", "survivor", minute(1)), note("p", "other", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{survivor, other}})
	put(t, store, other.ID, "r1", func(s *memory.State) { s.Status, s.MergedInto = memory.StatusConsolidated, survivor.ID })
	_, cursor := changedSince(t, store, 0)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "other", minute(9))}})
	found, _ := changedSince(t, store, cursor)
	if !slices.Contains(found, "survivor") {
		t.Errorf("the survivor has not changed: %v", found)
	}
	equal(t, "the survivor was last seen at", minute(9), rowOf(t, store, survivor.ID).Memory.LastSeenAt)
	row := rowOf(t, store, other.ID)
	if row.Memory.Status != memory.StatusConsolidated || row.MergedInto != survivor.ID {
		t.Errorf("the merged memory is %s, merged into %q", row.Memory.Status, row.MergedInto)
	}
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "other", minute(4))}})
	equal(t, "the survivor was last seen at", minute(9), rowOf(t, store, survivor.ID).Memory.LastSeenAt)
	forget := change(1)
	forget.Status = memory.StatusArchived
	amend(t, store, survivor.ID, forget)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "other", minute(99))}})
	equal(t, "the forgotten survivor, seen", memory.StatusArchived, rowOf(t, store, survivor.ID).Memory.Status)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "other", minute(100))}, Asked: []string{other.ID}})
	equal(t, "the forgotten survivor, said", memory.StatusActive, rowOf(t, store, survivor.ID).Memory.Status)
}

func commitNeeds(t *testing.T, store Store) {
	there, away := note("p", "there", minute(1)), note("p", "away", minute(1))
	a, b, c := note("p", "a", minute(1)), note("p", "b", minute(1)), note("p", "c", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{there, away, a, b, c}})
	put(t, store, away.ID, "r0", archiving(minute(2)))
	merge := func(m memory.Memory, id, into string) memory.Action {
		action := planned(rowOf(t, store, m.ID), id, "consolidate", func(s *memory.State) { s.Status, s.MergedInto = memory.StatusConsolidated, into })
		action.Needs = into
		return action
	}
	commit(t, store, memory.Commit{Run: run("r1", merge(a, "r1-0", there.ID), merge(b, "r1-1", away.ID), merge(c, "r1-2", "none"))}, b.ID, c.ID)
	equal(t, "into an active memory", memory.StatusConsolidated, rowOf(t, store, a.ID).Memory.Status)
	equal(t, "into an archived memory", memory.StatusActive, rowOf(t, store, b.ID).Memory.Status)
	equal(t, "into nothing", memory.StatusActive, rowOf(t, store, c.ID).Memory.Status)
}

func commitGroups(t *testing.T, store Store) {
	a, b, c, d := note("p", "a", minute(1)), note("p", "b", minute(1)), note("p", "c", minute(1)), note("p", "d", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b, c, d}})
	grouped := func(m memory.Memory, id, group string) memory.Action {
		action := planned(rowOf(t, store, m.ID), id, "merge", func(s *memory.State) { s.Uses = 7 })
		action.Group = group
		return action
	}
	step := memory.Commit{Run: run("r1", grouped(a, "r1-0", "one"), grouped(b, "r1-1", "one"), grouped(c, "r1-2", "two"), grouped(d, "r1-3", ""))}
	use := memory.Use{Memory: b.ID, Session: "s", At: minute(3)}
	ingest(t, store, memory.Batch{Uses: []memory.Use{use}}) // after it was planned
	for range 2 {                                           // again, as after a lost answer
		commit(t, store, step, a.ID, b.ID)
		for _, want := range []struct {
			m    memory.Memory
			uses int
		}{{a, 0}, {b, 1}, {c, 7}, {d, 7}} {
			equal(t, "uses of "+want.m.Content, want.uses, rowOf(t, store, want.m.ID).Uses)
		}
	}
	whole := memory.Commit{Run: run("r2", grouped(a, "r2-0", "one"), grouped(b, "r2-1", "one"))}
	for range 2 {
		commit(t, store, whole)
		equal(t, "uses of b", 7, rowOf(t, store, b.ID).Uses)
	}
	equal(t, "recorded", 2, len(musttest.Get(memory.RunOf(t.Context(), store, "r2"))(t).Actions))
}

func commitRejected(t *testing.T, store Store) {
	mine, faded := note("p", "mine", minute(1)), note("p", "faded", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{mine, faded}})
	amend(t, store, mine.ID, memory.Change{ID: "c1", At: minute(2), By: "cli", Status: memory.StatusArchived, Reason: "wrong"})
	put(t, store, faded.ID, "r0", archiving(minute(2)))
	back := func(m memory.Memory, id string) memory.Action {
		return planned(rowOf(t, store, m.ID), id, "update", func(s *memory.State) { s.Status, s.RetiredAt = memory.StatusActive, time.Time{} })
	}
	commit(t, store, memory.Commit{Run: run("r1", back(mine, "r1-0"), back(faded, "r1-1"))}, mine.ID)
	equal(t, "the faded memory", memory.StatusActive, rowOf(t, store, faded.ID).Memory.Status)
	equal(t, "the archived memory", memory.StatusArchived, rowOf(t, store, mine.ID).Memory.Status)
	commit(t, store, memory.Commit{Run: run("r2", back(mine, "r2-0")), Exempt: true}) // a person undoes it
	equal(t, "the archived memory, on demand", memory.StatusActive, rowOf(t, store, mine.ID).Memory.Status)
}

func commitTwice(t *testing.T, store Store) {
	a, b := note("p", "a", minute(1)), note("p", "b", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b}})
	archived := run("r1", planned(rowOf(t, store, a.ID), "r1-0", "archive", archiving(minute(2))), planned(rowOf(t, store, b.ID), "r1-1", "archive", archiving(minute(2))))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "b", minute(3))}})
	commit(t, store, memory.Commit{Run: archived}, b.ID)
	row := rowOf(t, store, a.ID)
	commit(t, store, memory.Commit{Run: archived}, b.ID)
	equal(t, "the row", row, rowOf(t, store, a.ID))
	back := change(1)
	back.Status = memory.StatusActive
	amend(t, store, a.ID, back)
	commit(t, store, memory.Commit{Run: archived}, b.ID)
	equal(t, "restored since", memory.StatusActive, rowOf(t, store, a.ID).Memory.Status)
	equal(t, "actions", 1, len(musttest.Get(memory.RunOf(t.Context(), store, "r1"))(t).Actions))
}

func commitKeep(t *testing.T, store Store) {
	a, b, c := note("p", "a", minute(1)), note("p", "b", minute(1)), note("p", "c", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b, c}})
	put(t, store, a.ID, "r1", archiving(minute(2)))
	restore := func(id, action string) memory.Action {
		return planned(rowOf(t, store, id), action, "restore", func(s *memory.State) { s.Status, s.RetiredAt = memory.StatusActive, time.Time{} })
	}
	stale := restore(c.ID, "r2-2")
	stale.Cursor--
	commit(t, store, memory.Commit{Run: run("r2", restore(a.ID, "r2-0"), restore(b.ID, "r2-1"), stale), Exempt: true}, c.ID)
	for id, exempt := range map[string]bool{a.ID: true, b.ID: true, c.ID: false} {
		row := rowOf(t, store, id)
		if row.Exempt != exempt || row.Memory.Status != memory.StatusActive {
			t.Errorf("%s is %s, exempt %t", row.Memory.Content, row.Memory.Status, row.Exempt)
		}
	}
	put(t, store, a.ID, "r3", func(s *memory.State) { s.Uses = 3 })
	equal(t, "still exempt", true, rowOf(t, store, a.ID).Exempt)
}

func amendAction(t *testing.T, store Store) {
	m, replaced := note("p", "archived", minute(1)), note("p", "the port is 6543", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{m, replaced}})
	away, update := change(1), change(2)
	away.Status, away.Reason = memory.StatusArchived, "no longer true"
	update.Content = "the port is 7654"
	amend(t, store, m.ID, away)
	_, successor := amend(t, store, replaced.ID, update)

	run := musttest.Get(memory.RunOf(t.Context(), store, away.ID))(t)
	if len(run.Actions) != 1 || run.Job != memory.Amend {
		t.Fatalf("the change is recorded as %+v", run)
	}
	action := run.Actions[0]
	if action.Kind != memory.ActionAmend || action.Memory != m.ID || action.Reason != away.Reason {
		t.Errorf("the action is %+v", action)
	}
	equal(t, "changed", []string{"status", "detail", "retired_at"}, action.After.Changed(action.Before))
	row := rowOf(t, store, m.ID)
	if row.Memory.Status != memory.StatusArchived || !row.RetiredAt.Equal(away.At) || action.Before.Status != memory.StatusActive || action.Before.Detail != m.Detail {
		t.Errorf("the row is %+v, the state before %+v", row, action.Before)
	}

	actions := musttest.Get(memory.RunOf(t.Context(), store, update.ID))(t).Actions
	action = actions[len(actions)-1] // before it, one decides about the tags of the new text
	if action.Memory != replaced.ID || action.After.SupersededBy != successor.ID || action.After.Status != memory.StatusArchived {
		t.Errorf("the action is %+v", action)
	}
	row = rowOf(t, store, replaced.ID)
	if row.SupersededBy != successor.ID || !row.RetiredAt.Equal(update.At) {
		t.Errorf("the old memory is superseded by %q, retired at %s", row.SupersededBy, row.RetiredAt)
	}
	if row := rowOf(t, store, successor.ID); !row.UsedAt.Equal(update.At) || row.SupersededBy != "" {
		t.Errorf("the successor is %+v", row)
	}
	undo := change(3)
	undo.Content = replaced.Content
	amend(t, store, successor.ID, undo)
	if row := rowOf(t, store, replaced.ID); row.SupersededBy != "" || row.Memory.Status != memory.StatusActive {
		t.Errorf("the restored memory is %s, superseded by %q", row.Memory.Status, row.SupersededBy)
	}
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "the port is 7654", minute(40))}})
	equal(t, "a memory that a person replaced, seen again", memory.StatusArchived, rowOf(t, store, successor.ID).Memory.Status)
}

// stated returns a source's statement, in its own words and kind, but with the same identity.
func stated(project string, source memory.Source, kind memory.Kind, minutes int) memory.Memory {
	content := "run the tests first"
	if source == memory.SourceUser {
		content += "."
	}
	m := note(project, content, minute(minutes))
	m.Source, m.Kind, m.Session = source, kind, ""
	return m
}

func permute(all []int, visit func([]int)) {
	var place func(chosen []int)
	place = func(chosen []int) {
		if len(chosen) == len(all) {
			visit(chosen)
			return
		}
		for _, one := range all {
			if !slices.Contains(chosen, one) {
				place(append(slices.Clone(chosen), one))
			}
		}
	}
	place(nil)
}

func commitStale(t *testing.T, store Store) {
	a, b, c := note("p", "a", minute(1)), note("p", "b", minute(1)), note("p", "c", minute(1))
	ingest(t, store, memory.Batch{Memories: []memory.Memory{a, b, c}})
	weaken := func(s *memory.State) { s.Importance = 0.125 }
	stale := run(
		"r1", planned(rowOf(t, store, a.ID), "r1-0", "test", weaken), planned(rowOf(t, store, b.ID), "r1-1", "test", weaken),
		planned(rowOf(t, store, c.ID), "r1-2", "test", weaken),
		memory.Action{ID: "r1-3", Memory: "none", Kind: "test", After: memory.State{Importance: 1}, Cursor: 1},
	)
	ingest(t, store, memory.Batch{Memories: []memory.Memory{note("p", "b", minute(5))}})
	tagged := change(1)
	tagged.AddTags = []string{"x"}
	amend(t, store, c.ID, tagged)
	seen, changed := rowOf(t, store, b.ID), rowOf(t, store, c.ID)
	commit(t, store, memory.Commit{Run: stale}, b.ID, c.ID, "none")
	equal(t, "as planned", 0.125, rowOf(t, store, a.ID).Memory.Importance)
	equal(t, "seen since", seen, rowOf(t, store, b.ID))
	equal(t, "changed by a person since", changed, rowOf(t, store, c.ID))
	var recorded []string
	for _, action := range musttest.Get(memory.RunOf(t.Context(), store, "r1"))(t).Actions {
		recorded = append(recorded, action.ID)
	}
	equal(t, "recorded", []string{"r1-0"}, recorded)
	if rows := musttest.Get(store.Rows(t.Context(), memory.WithIDs{"none"}))(t); len(rows) > 0 {
		t.Errorf("a change made %+v", rows)
	}
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
	equal(t, "tags", []string{"tag-0", "tag-1", "tag-2", "tag-3"}, musttest.Get(memory.Find(t.Context(), store, m.ID))(t).Tags)
}
