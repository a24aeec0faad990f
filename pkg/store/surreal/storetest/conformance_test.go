package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Wrap(m)) }

// TestConformance checks the store against its contract.
func TestConformance(t *testing.T) {
	conform(t, func(t *testing.T) Store { store, _ := surrealtest.Open(t); return store })
}

// conform has all requirements. Each call of open returns an empty store.
func conform(t *testing.T, open func(t *testing.T) Store) {
	tests := []conformance{
		{"rows are read back as written, to the nanosecond, however often", readBack},
		{"filters and order of a listing", listing},
		{"record is in order and of one session", record},
		{"finished sessions have their summaries, the newest first", summarised},
		{"silent sessions are found", silent},
		{"a session keeps the digest that its summary was made of", digestKept},
		{"several sessions are read and summed up at once", sessionsByID},
		{"memories are found by their ids, and injections by their time", injections},
		{"recallable memories depend on kind, status and type", recallableRule},
		{"recallable memories are read in pages", recallablePages},
		{"memories of one status are read in pages", pages},
		{"an id is found by its beginning", expand},
		{"any text is only text", hostileText},
		{"an empty batch changes nothing", emptyBatch},
		{"everything is exported, page by page", exportPages},
		{"projects are listed, renamed, merged and purged", administration},
		{"a write that was overtaken, or applied before, is not applied", overtaken},
		{"a sighting stays with its first memory", otherSighting},
	}
	for _, test := range slices.Concat(tests, maintenance) {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
	t.Run("everything is copied out and back in as it was", func(t *testing.T) { archive(t, open) })
	t.Run("a memory has all of its fields wherever it goes", func(t *testing.T) { wholeMemory(t, open) })
	t.Run("a row of any type is written, changed, deleted, copied and purged", func(t *testing.T) { rowTypes(t, open) })
}

func readBack(t *testing.T, store Store) {
	for range 3 {
		b := FullBatch()
		ingest(t, store, b)
		equal(t, "memory", b.Memories[0], musttest.Get(memory.Find(t.Context(), store, b.Memories[0].ID))(t))
		b.Sessions[0].PromptCount, b.Prompts[0].Number = 1, 1
		equal(t, "record", memory.SessionRecord{
			Session: b.Sessions[0], Prompts: b.Prompts, SessionEvents: b.SessionEvents,
			Seen: []memory.Seen{{ID: "e1", Memory: b.Memories[0], At: minute(1)}},
		}, musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t))
		equal(t, "counts", memory.Stats{Memories: 1, Sessions: 1, Prompts: 1, Projects: 1, Sightings: 1, SessionEvents: 1}, musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t).Stats)
	}
	equal(t, "old events", memory.EventRows(FullBatch().SessionEvents), musttest.Get(store.Export(t.Context(), memory.ExportQuery{Section: memory.SectionEvent, Before: minute(3)}))(t).Events)
	equal(t, "events that are too new", 0, len(musttest.Get(store.Export(t.Context(), memory.ExportQuery{Section: memory.SectionEvent, Before: minute(2)}))(t).Events))
}

func listing(t *testing.T, store Store) {
	important := note("p", "important", minute(1))
	important.Importance = 0.9
	archived := note("p", "archived", minute(4))
	archived.Status = memory.StatusArchived
	users := note("", "users", minute(0))
	users.Scope = memory.ScopeUser
	ingest(t, store, memory.Batch{Memories: []memory.Memory{
		note("p", "old", minute(1)), note("p", "new", minute(3)), important, archived,
		kind(note("p", "todo", minute(2)), memory.KindTodo), note("q", "other", minute(2)), users,
	}})
	cases := []struct {
		name   string
		filter memory.Filter
		want   []string
	}{
		{"all", memory.Filter{}, []string{"important", "archived", "new", "*", "*", "old", "users"}},
		{"project", memory.Filter{Project: "q"}, []string{"other"}},
		{"scope", memory.Filter{Scope: memory.ScopeUser}, []string{"users"}},
		{"scope of a project", memory.Filter{Project: "q", Scope: memory.ScopeUser}, nil},
		{"kinds", memory.Filter{Kinds: []memory.Kind{memory.KindTodo, memory.KindDecision}}, []string{"todo"}},
		{"status", memory.Filter{Project: "p", Statuses: []memory.Status{memory.StatusActive}, Limit: 2}, []string{"important", "new"}},
		{"nothing", memory.Filter{Project: "none"}, nil},
	}
	for _, c := range cases {
		got := ids(musttest.Get(memory.Memories(t.Context(), store, c.filter))(t))
		for i, want := range c.want {
			if want == "*" && i < len(got) { // equal rank: any order
				c.want[i] = got[i]
			}
		}
		equal(t, c.name, c.want, got)
	}
}

func record(t *testing.T, store Store) {
	a, b := note("p", "a", minute(1)), note("p", "b", minute(1))
	ingest(t, store, memory.Batch{
		Sessions: []memory.Session{session("s1", "p"), session("s2", "p")},
		Memories: []memory.Memory{a, b},
		Prompts: []memory.Prompt{
			{ID: "p3", Session: "s1", Project: "p", Text: "third", At: minute(3)},
			{ID: "p1", Session: "s1", Project: "p", Text: "first", At: minute(1)},
			{ID: "px", Session: "s2", Project: "p", Text: "other", At: minute(2)},
		},
		Sightings: []memory.Sighting{
			{ID: "e2", Memory: b.ID, Session: "s1", At: minute(2)},
			{ID: "e1", Memory: a.ID, Session: "s1", At: minute(1)},
			{ID: "e4", Memory: b.ID, Session: "s1", At: minute(3)},
			{ID: "e3", Memory: a.ID, Session: "s1", At: minute(3)},
			{ID: "ex", Memory: a.ID, Session: "s2", At: minute(1)},
		},
	})
	got := musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t)
	equal(t, "prompts", []string{"first", "third"}, each(got.Prompts, func(p memory.Prompt) string { return p.Text }))
	equal(t, "seen", []string{"a", "b", "a", "b"}, each(got.Seen, func(s memory.Seen) string { return s.Memory.Content }))
	other := musttest.Get(memory.RecordOf(t.Context(), store, "s2"))(t)
	equal(t, "records of several sessions", []memory.SessionRecord{other, got}, musttest.Get(store.Records(t.Context(), memory.RecordsOf{"s2", "none", "s1"}))(t))
	said := got
	said.Seen = nil
	conversations := musttest.Get(store.Records(t.Context(), memory.ProjectRecords(got.Session.Project)))(t)
	slices.SortFunc(conversations, func(a, b memory.SessionRecord) int { return strings.Compare(a.Session.ID, b.Session.ID) })
	equal(t, "what was said in a project", said, conversations[0])
	if none := musttest.Get(store.Records(t.Context(), memory.ProjectRecords("none")))(t); len(none) > 0 {
		t.Errorf("what was said in no project: %v", none)
	}
	musttest.Is(t, memory.ErrNotFound, musttest.Err(memory.RecordOf(t.Context(), store, "none")), "the record of no session")
}

func sessionsByID(t *testing.T, store Store) {
	over := ended(session("over", "p"), minute(1))
	over.State = memory.SessionSummarising
	ingest(t, store, memory.Batch{Sessions: []memory.Session{over, session("s1", "p"), session("s2", "q")}}, memory.Batch{
		Summaries: []memory.SessionSummary{{Session: "over", Summary: memory.Summary{Text: "done"}}, {Session: "none", Summary: memory.Summary{Text: "of nothing"}}},
	})
	over.State, over.Summary = memory.SessionCompleted, memory.Summary{Text: "done"}
	got := musttest.Get(store.Sessions(t.Context(), memory.SessionIDs{"s2", "none", "over"}))(t)
	slices.SortFunc(got, func(a, b memory.Session) int { return strings.Compare(a.ID, b.ID) })
	equal(t, "sessions", []memory.Session{over, session("s2", "q")}, got)
	if none := musttest.Get(store.Sessions(t.Context(), memory.SessionIDs{}))(t); len(none) > 0 {
		t.Errorf("sessions of no ids: %v", none)
	}
}

func summarised(t *testing.T, store Store) {
	old := ended(session("old", "p"), minute(1))
	old.State = memory.SessionAbandoned
	ingest(t, store, memory.Batch{Sessions: []memory.Session{
		old, ended(session("new", "p"), minute(2)), session("running", "p"),
		ended(session("silent", "p"), minute(3)), ended(session("elsewhere", "q"), minute(3)),
	}})
	for _, id := range []string{"old", "new", "running", "elsewhere"} {
		ingest(t, store, summing(id, memory.Summary{Text: "did " + id}))
	}
	read := func(limit int) []string {
		found := musttest.Get(store.Sessions(t.Context(), memory.Summarised{Project: "p", Limit: limit}))(t)
		return each(found, func(s memory.Session) string { return s.Summary.Text })
	}
	equal(t, "summaries of finished sessions", []string{"did new", "did old"}, read(10))
	equal(t, "the last summary", []string{"did new"}, read(1))
}

func digestKept(t *testing.T, store Store) {
	full := memory.Digest{
		Request: "fix the export", Investigated: "where guests are joined", Learned: "guests have no account", Completed: "it joins on the session",
		NextSteps: "`make e2e` fails", FilesRead: []string{"join.sql"}, FilesModified: []string{"export.sql", "guest.sql"}, Source: memory.SourceAssistant,
	}
	imported := ended(session("imported", "p"), minute(1))
	imported.Summary.Digest = memory.Digest{Request: "as it came"}
	ingest(t, store, memory.Batch{Sessions: []memory.Session{ended(session("full", "p"), minute(1)), ended(session("empty", "p"), minute(1)), ended(session("shorter", "p"), minute(1)), imported}})
	for id, digest := range map[string]memory.Digest{"full": full, "empty": {Request: "later taken back"}, "shorter": {Request: "by rules", Completed: "by rules"}} {
		ingest(t, store, summing(id, memory.Summary{Text: id, Digest: digest}))
	}
	ingest(t, store, summing("empty", memory.Summary{Text: "empty"}), summing("shorter", memory.Summary{Text: "shorter", Digest: memory.Digest{Request: "by a model"}}))
	want := map[string]memory.Digest{"full": full, "empty": {}, "shorter": {Request: "by a model"}, "imported": {Request: "as it came"}}
	of := func(sessions []memory.Session) map[string]memory.Digest {
		digests := map[string]memory.Digest{}
		for _, s := range sessions {
			digests[s.ID] = s.Summary.Digest
		}
		return digests
	}
	equal(t, "sessions as they are listed", want, of(musttest.Get(store.Sessions(t.Context(), memory.LastSessions{Project: "p", Limit: 10, Counted: true}))(t)))
	equal(t, "a session as a start reads it", full, of(musttest.Get(store.Sessions(t.Context(), memory.Summarised{Project: "p", Limit: 10}))(t))["full"])
	equal(t, "sessions as they are exported", want, of(exportAll(t, store, "").Sessions))
	record := musttest.Get(memory.RecordOf(t.Context(), store, "full"))(t)
	equal(t, "the session of a record", full, record.Session.Summary.Digest)
}

func silent(t *testing.T, store Store) {
	over, ending := ended(session("over", "p"), minute(1)), ended(session("summing", "p"), minute(1))
	quiet, busy, started, left := session("quiet", "p"), session("busy", "p"), session("started", "p"), session("left", "p")
	ending.State, started.State, left.State = memory.SessionSummarising, memory.SessionActive, memory.SessionAbandoned
	busy.LastEventAt = minute(30)
	ingest(t, store, memory.Batch{Sessions: []memory.Session{over, ending, quiet, busy, started, left}})
	found := musttest.Get(store.Sessions(t.Context(), memory.IdleSessions{Since: minute(10), Limit: 10}))(t)
	equal(t, "silent sessions", []string{"quiet", "started"}, sorted(sessionIDs(found)))
}

func injections(t *testing.T, store Store) {
	a, mine, gone := note("p", "a", minute(1)), note("", "mine", minute(1)), note("p", "gone", minute(1))
	mine.Scope, gone.Status = memory.ScopeUser, memory.StatusArchived
	ingest(t, store, memory.Batch{
		Sessions: []memory.Session{session("s1", "p")},
		Memories: []memory.Memory{a, mine, gone},
		Injections: []memory.Injection{
			{ID: "i1", Memory: a.ID, Session: "s1", Hook: "prompt", At: minute(1)},
			{ID: "i2", Memory: mine.ID, Session: "s1", Hook: "read", At: minute(3)},
			{ID: "i3", Memory: a.ID, Session: "s2", Hook: "read", At: minute(3)},
			{ID: "i4", Memory: gone.ID, Session: "s1", Subagent: "a1", Hook: "subagent", At: minute(3)},
		},
	})
	equal(t, "by id", []string{"gone"}, contents(musttest.Get(store.Rows(t.Context(), memory.WithIDs{gone.ID, "none"}))(t)))
	equal(t, "by no id", 0, len(musttest.Get(store.Rows(t.Context(), memory.WithIDs(nil)))(t)))
	given := injectedSince(t, store, "s1", time.Time{})
	equal(t, "injected", sorted([]string{a.ID, mine.ID}), given)
	equal(t, "injected after", []string{mine.ID}, injectedSince(t, store, "s1", minute(2).Add(1)))
	for _, one := range musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s1"}))(t) {
		at := musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s1", From: one.At}))(t)
		if !slices.Contains(at, one) || slices.Contains(musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s1", From: one.At.Add(1)}))(t), one) {
			t.Errorf("from %s the session had %+v, without %+v", one.At, at, one)
		}
	}
	second := minute(5).Truncate(time.Second)
	for n, at := range []time.Time{second, second.Add(20 * time.Millisecond), second.Add(time.Second)} {
		ingest(t, store, memory.Batch{Injections: []memory.Injection{{ID: fmt.Sprint("j", n), Memory: a.ID, Session: "s3", Hook: "prompt", At: at}}})
	}
	equal(t, "injected after the beginning of a second", 2, len(musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s3", From: second.Add(1)}))(t)))
	equal(t, "injected in all, and into its subagents", len(given)+1, len(musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s1"}))(t)))
}

// injectedSince are the ids of the memories injected into a session, and not into a subagent of it.
func injectedSince(t *testing.T, store Store, session string, from time.Time) (ids []string) {
	t.Helper()
	for _, i := range musttest.Get(memory.Injections(t.Context(), store, memory.InjectedInto{Session: session, From: from}))(t) {
		if i.Subagent == "" {
			ids = append(ids, i.Memory)
		}
	}
	slices.Sort(ids)
	return ids
}

// recallableRule creates one memory of each kind, status and type in a project, in another and
// for the user, and compares the store with memory.Memory.IsRecallable.
func recallableRule(t *testing.T, store Store) {
	kinds := memory.Kinds()
	statuses := []memory.Status{memory.StatusActive, memory.StatusConsolidated, memory.StatusArchived}
	types := []memory.Type{memory.TypeEpisodic, memory.TypeSemantic, memory.TypeProcedural}
	want := map[string][]string{}
	for _, project := range []string{"p", "q", ""} {
		var b memory.Batch
		for _, kind := range kinds {
			for _, status := range statuses {
				for _, is := range types {
					m := note(project, fmt.Sprintf("%s, %s and %s, of %q", kind, status, is, project), minute(1))
					if m.Kind, m.Status, m.Type = kind, status, is; project == "" {
						m.Scope = memory.ScopeUser
					}
					b.Memories = append(b.Memories, m)
					if m.IsRecallable() {
						want[project] = append(want[project], m.Content)
					}
				}
			}
		}
		ingest(t, store, b)
	}
	for _, project := range []string{"p", "q", "none", ""} {
		all := slices.Clone(want[project])
		if project != "" {
			all = append(all, want[""]...)
		}
		equal(t, fmt.Sprintf("recallable of %q", project), sorted(all), sorted(contents(recallableRows(t, store, project))))
	}
}

// recallablePages checks the size of pages, and that a reader can stop.
func recallablePages(t *testing.T, store Store) {
	var b memory.Batch
	for i := range 7 {
		b.Memories = append(b.Memories, note("p", fmt.Sprint("note ", i), minute(1)))
	}
	ingest(t, store, b)
	var pages []int
	err := memory.EachRecallable(t.Context(), store, "p", 3, func(rows []memory.Row) error {
		pages = append(pages, len(rows))
		return nil
	})
	equal(t, "pages", []int{3, 3, 1}, pages)
	musttest.Do(t, err)
	enough, seen := errors.New("enough"), 0
	err = memory.EachRecallable(t.Context(), store, "p", 3, func(rows []memory.Row) error {
		seen += len(rows)
		return enough
	})
	if !errors.Is(err, enough) || seen != 3 {
		t.Errorf("a reader that had enough of the first page saw %d rows: %v", seen, err)
	}

	// The store accepts writes between two pages.
	err = memory.EachRecallable(t.Context(), store, "p", 3, func([]memory.Row) error {
		return store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{note("p", "late", minute(2))}})
	})
	if err != nil {
		t.Error(err)
	}
}

func hostileText(t *testing.T, store Store) {
	for i, text := range []string{"'; DELETE memory; --", "$project", "`⟩ {} [] \\", "a\x00b", "\u202edrawkcab", "😀 \U0001F468\u200D\U0001F469", "memory:x", "NONE", "d'2026-01-01'"} {
		m := note(text, text, minute(i))
		m.ID = text
		s := session(text, text)
		ingest(t, store, memory.Batch{
			Projects: []memory.Project{{Key: text, Name: text, Root: text, SeenAt: minute(1)}},
			Memories: []memory.Memory{m}, Sessions: []memory.Session{s},
			Prompts: []memory.Prompt{{ID: text, Session: text, Project: text, Text: text, At: minute(1)}},
		})
		equal(t, "memory", m, musttest.Get(memory.Find(t.Context(), store, text))(t))
		got := musttest.Get(memory.RecordOf(t.Context(), store, text))(t)
		if len(got.Prompts) != 1 || got.Prompts[0].Text != text || got.Session.Project != text {
			t.Errorf("record of %q is %+v", text, got)
		}
		recallableRows(t, store, text)
	}
}

func emptyBatch(t *testing.T, store Store) {
	ingest(t, store, memory.Batch{})
	equal(t, "counts", memory.Stats{}, musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t).Stats)
}
