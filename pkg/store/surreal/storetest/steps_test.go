package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// conformance is one requirement for a store.
type conformance struct {
	name string
	run  func(*testing.T, Store)
}

func kind(m memory.Memory, k memory.Kind) memory.Memory { m.Kind = k; return m }

func ended(s memory.Session, at time.Time) memory.Session {
	s.State, s.StateAt, s.LastEventAt, s.EndedAt, s.EndReason = memory.SessionCompleted, at, at, at, "other"
	return s
}

func ingest(t *testing.T, store Store, batches ...memory.Batch) {
	t.Helper()
	for _, b := range batches {
		musttest.Do(t, store.Ingest(t.Context(), b))
	}
}

// summing is the batch that sums up a session.
func summing(session string, summary memory.Summary) memory.Batch {
	return memory.Batch{Summaries: []memory.SessionSummary{{Session: session, Summary: summary}}}
}

func equal(t *testing.T, subject string, want, got any) {
	t.Helper()
	musttest.Same(t, want, got, "%s (-want +got)", subject)
}

// each returns one text of each row.
func each[T any](rows []T, text func(T) string) (all []string) {
	for _, row := range rows {
		all = append(all, text(row))
	}
	return all
}

func ids(memories []memory.Memory) []string {
	return each(memories, func(m memory.Memory) string { return m.Content })
}

func contents(rows []memory.Row) []string {
	return each(rows, func(r memory.Row) string { return r.Memory.Content })
}

func sessionIDs(sessions []memory.Session) []string {
	return each(sessions, func(s memory.Session) string { return s.ID })
}

// recallableRows returns the recallable rows of a project from all pages.
func recallableRows(t *testing.T, store Store, project string) []memory.Row {
	t.Helper()
	var all []memory.Row
	err := memory.EachRecallable(t.Context(), store, project, 100, func(rows []memory.Row) error {
		all = append(all, rows...)
		return nil
	})
	musttest.Do(t, err)
	return all
}

// recallableWith returns the contents of the recallable memories of the project "p" and of the user that contain a word.
func recallableWith(t *testing.T, store Store, word string) []string {
	t.Helper()
	var found []string
	for _, row := range recallableRows(t, store, "p") {
		if strings.Contains(row.Memory.Content+"\n"+row.Memory.Detail, word) {
			found = append(found, row.Memory.Content)
		}
	}
	return found
}

func change(n int) memory.Change {
	return memory.Change{ID: fmt.Sprint("change-", n), At: minute(10 + n), By: "mcp"}
}

func amend(t *testing.T, store Store, id string, c memory.Change) (before, after memory.Memory) {
	t.Helper()
	before, after, err := store.Amend(t.Context(), id, c)
	musttest.Do(t, err)
	equal(t, "the memory after a change", after, musttest.Get(memory.Find(t.Context(), store, after.ID))(t))
	return before, after
}

func sorted(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	return texts
}

func rowOf(t *testing.T, store Store, id string) memory.Row {
	t.Helper()
	rows := musttest.Get(store.Rows(t.Context(), memory.WithIDs{id}))(t)
	if len(rows) != 1 {
		t.Fatalf("%d rows of memory %s", len(rows), id)
	}
	return rows[0]
}

// planned returns an action on a row in its current state.
func planned(row memory.Row, id, kind string, change func(*memory.State)) memory.Action {
	a := memory.Action{ID: id, Memory: row.Memory.ID, Kind: kind, Reason: "test " + id, Before: row.State(), After: row.State(), Cursor: row.Cursor}
	change(&a.After)
	return a
}

func run(id string, actions ...memory.Action) memory.Run {
	return memory.Run{ID: id, Job: "decay", Trigger: "manual", StartedAt: minute(20), EndedAt: minute(21), Actions: actions}
}

func commit(t *testing.T, store Store, c memory.Commit, skipped ...string) {
	t.Helper()
	equal(t, "skipped by run "+c.Run.ID, sorted(skipped), sorted(musttest.Get(store.Commit(t.Context(), c))(t)))
}

// put commits a change of one row in its current state.
func put(t *testing.T, store Store, id, runID string, change func(*memory.State)) {
	t.Helper()
	commit(t, store, memory.Commit{Run: run(runID, planned(rowOf(t, store, id), runID+"-0", "test", change))})
}

func archiving(at time.Time) func(*memory.State) {
	return func(s *memory.State) { s.Status, s.RetiredAt = memory.StatusArchived, at }
}
