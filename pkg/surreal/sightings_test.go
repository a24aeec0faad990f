package surreal_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/memstore"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/surrealtest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // make chaos draws 100
		panic(err)
	}
	os.Exit(enginetest.Wrap(m).Run())
}

// TestEveryHistoryOfAMemoryEndsTheSame applies random sightings, changes by hand and steps of
// maintenance to the store in memory and to the database, and compares the rows after each.
func TestEveryHistoryOfAMemoryEndsTheSame(t *testing.T) {
	db, _ := surrealtest.Open(t)
	histories := 0
	rapid.Check(t, func(t *rapid.T) {
		histories++
		h := history{t, fmt.Sprint("p", histories)}
		stores := []storetest.Store{memstore.New(), db}
		for step := range rapid.IntRange(2, 8).Draw(t, "steps") {
			do := h.step(step)
			rows := make([]memory.Row, len(stores))
			for i, store := range stores {
				do(store)
				rows[i] = h.row(store)
			}
			if diff := cmp.Diff(rows[0], rows[1], cmpopts.IgnoreFields(memory.Row{}, "Cursor"), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("after step %d (-map +database):\n%s", step, diff)
			}
		}
	})
}

// history is the history of the one memory of a project.
type history struct {
	t       *rapid.T
	project string
}

const content = "the port is 6543"

func (h history) id() string { return memory.NewID(memory.ScopeProject, h.project, content) }

func (h history) row(store storetest.Store) memory.Row {
	rows, err := store.Rows(h.t.Context(), memory.WithIDs{h.id()})
	if err != nil || len(rows) != 1 {
		h.t.Fatalf("%d rows: %v", len(rows), err)
	}
	return rows[0]
}

// step returns a random step; the first is a sighting.
func (h history) step(number int) func(storetest.Store) {
	at := time.Date(2026, 11, 1, 0, rapid.IntRange(0, 5).Draw(h.t, "minute"), 0, 0, time.UTC)
	run := fmt.Sprintf("%s-%d", h.project, number)
	act := rapid.SampledFrom([]string{"see", "see", "see", "ask", "archive", "restore", "forget"}).Draw(h.t, "act")
	switch {
	case act == "forget" && number > 0:
		return func(store storetest.Store) { h.forget(store, run, at) }
	case (act == "archive" || act == "restore") && number > 0:
		c := memory.Change{ID: run, At: at, By: "cli", Status: map[string]memory.Status{"archive": memory.StatusArchived, "restore": memory.StatusActive}[act]}
		return func(store storetest.Store) { h.amend(store, c) }
	}
	batch := memory.Batch{Memories: []memory.Memory{h.sighting(number, at)}}
	if act == "ask" {
		batch.UserWritten = []string{h.id()}
	}
	return func(store storetest.Store) {
		if err := store.Ingest(h.t.Context(), batch); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h history) sighting(number int, at time.Time) memory.Memory {
	some := func(label string, texts ...string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(texts), 0, 2).Draw(h.t, label)
	}
	statuses := []memory.Status{memory.StatusActive, memory.StatusActive, memory.StatusQuarantined}
	return memory.Memory{
		ID: h.id(), Project: h.project, Scope: memory.ScopeProject, Type: memory.TypeSemantic,
		Kind:    rapid.SampledFrom([]memory.Kind{memory.KindNote, memory.KindDecision, memory.KindDiscovery}).Draw(h.t, "kind"),
		Source:  rapid.SampledFrom([]memory.Source{"", memory.SourceTool, memory.SourceImport, memory.SourceAssistant, memory.SourceUser}).Draw(h.t, "source"),
		Status:  rapid.SampledFrom(statuses).Draw(h.t, "status"),
		Content: content, Detail: fmt.Sprint("step ", number), Session: fmt.Sprint("s", number), TokenCount: number,
		Title: rapid.SampledFrom([]string{"", "port 6543", "the port"}).Draw(h.t, "title"), Area: fmt.Sprint("area ", number),
		Tags: some("tags", "a", "b", "c"), Cues: some("cues", "ports", "database"), Files: some("files", "x.go", "y.go"),
		Everywhere: rapid.Bool().Draw(h.t, "everywhere"), CreatedAt: at, LastSeenAt: at,
	}
}

// amend changes the memory, unless it was forgotten and so refuses changes.
func (h history) amend(store storetest.Store, c memory.Change) {
	isForgotten := h.row(store).Memory.Status == memory.StatusForgotten
	if _, _, err := store.Amend(h.t.Context(), h.id(), c); (err != nil) != isForgotten {
		h.t.Fatal(err)
	}
}

func (h history) forget(store storetest.Store, run string, at time.Time) {
	row := h.row(store)
	is := row.State()
	is.Status, is.RetiredAt, is.Content = memory.StatusForgotten, at, ""
	missed, err := store.Commit(h.t.Context(), memory.Commit{Run: memory.Run{
		ID: run, Job: "prune", StartedAt: at, EndedAt: at,
		Actions: []memory.Action{{ID: run + "-0", Memory: h.id(), Kind: "forget", Before: row.State(), After: is, Cursor: row.Cursor}},
	}})
	if err != nil || len(missed) > 0 {
		h.t.Fatalf("missed %d: %v", len(missed), err)
	}
}
