package storetest

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// overtaken applies writes whose rows have changed since the writes were built.
func overtaken(t *testing.T, store Store) {
	ingest(t, store, FullBatch())
	rows := musttest.Get(store.Read(t.Context(), memory.Keys{Projects: []string{"p"}, Sessions: []string{"s1"}, Memories: []string{FullBatch().Memories[0].ID}}))(t)
	project, session, row := rows.Projects["p"], rows.Sessions["s1"], rows.Memories[FullBatch().Memories[0].ID]
	run := memory.Run{ID: "run", Job: "amend", StartedAt: minute(1)}
	use := memory.Use{Memory: row.Memory.ID, Session: "s1", At: minute(1)}
	apply := func(changes ...memory.RowChange) error { return store.Apply(t.Context(), memory.Write{Rows: changes}) }
	change := func(p memory.ProjectRow, s memory.Session, r memory.Row) []memory.RowChange {
		p.SeenAt, s.StateAt, r.Memory.Importance = minute(9), minute(9), 0.9
		return []memory.RowChange{{Before: project, After: p}, {Before: session, After: s}, {Before: row, After: r}}
	}
	musttest.Do(t, apply(append(change(project, session, row), memory.RowChange{After: use}, memory.RowChange{After: run})...))
	before := musttest.Get(store.History(t.Context(), row.Memory.ID))(t)
	for what, changes := range map[string][]memory.RowChange{
		"a changed project":     change(project, session, row)[:1],
		"a changed session":     change(project, session, row)[1:2],
		"a changed memory":      change(project, session, row)[2:],
		"a memory to delete":    {{Before: row}},
		"a memory to stay":      {{Before: row, After: row}},
		"a new project's key":   {{After: project}},
		"a new session's id":    {{After: session}},
		"a new memory's id":     {{After: row}},
		"a use that is there":   {{After: use}},
		"one change of several": {{After: memory.ProjectRow{Project: memory.Project{Key: "new"}}}, {Before: row}},
	} {
		musttest.Is(t, memory.ErrConflict, apply(changes...), "%s", what)
	}
	again := memory.Memory{ID: memory.NewID(memory.ScopeProject, "p", "again"), Project: "p", Scope: memory.ScopeProject, Content: "again"}
	musttest.Is(t, memory.ErrWritten, apply(memory.RowChange{After: memory.Row{Memory: again}}, memory.RowChange{After: run}), "a run that is there")
	equal(t, "the history", before, musttest.Get(store.History(t.Context(), row.Memory.ID))(t))
	equal(t, "the counts", 1, musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t).Memories)
}

// otherSighting ingests an event again, of which newer rules extract another memory: the first sighting stays.
func otherSighting(t *testing.T, store Store) {
	batch, other := FullBatch(), note("p", "the port is 7654", minute(1))
	ingest(t, store, batch)
	again := batch
	again.Memories = []memory.Memory{other}
	again.Sightings = []memory.Sighting{batch.Sightings[0], {ID: "e9", Memory: other.ID, Session: "s1", At: minute(9)}}
	again.Sightings[0].Memory = other.ID
	ingest(t, store, again)
	for id, want := range map[string][]memory.Sighting{batch.Memories[0].ID: batch.Sightings, other.ID: again.Sightings[1:]} {
		equal(t, "sightings", want, musttest.Get(store.History(t.Context(), id))(t).Seen)
	}
}
