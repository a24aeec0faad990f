package surreal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
)

// TestMigrationRenamesKeepWhatWasThere brings a store of the second schema up to
// date: session events and the cursors of the jobs are what they were under their
// former names, and the jobs go on.
func TestMigrationRenamesKeepWhatWasThere(t *testing.T) {
	conn := emptyDatabase(t)
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	migrator := NewMigrationStore(conn, bootstrap(t))
	if _, err := migrate.Up(t.Context(), migrator, all[:2], migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	began, slot := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	_, err = conn.exec(t.Context(), `
CREATE session:s1 SET project = 'p', dir = '', source = '', source_at = $began, state = 'completed', state_at = $began, started_at = $began,
	last_event_at = $began, end_reason = '', summary = '', summary_token_count = 0, summary_token_encoding = '';
CREATE moment:e1 SET session = session:s1, kind = 'turn_ended', text = 'done', at = $began;
CREATE type::record('moment', 'e-2') SET session = session:s1, kind = 'compacted', text = 'the summary', at = $slot;
CREATE maintenance_job:dedup SET mark = 1790000000000000000, slot = $slot;`, map[string]any{"began": at(began), "slot": at(slot)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Up(t.Context(), migrator, all, migrate.Options{}); err != nil {
		t.Fatal(err)
	}

	store := NewStore(conn)
	record, err := store.SessionRecord(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	want := []memory.SessionEvent{
		{ID: "e1", Session: "s1", Kind: memory.EventTurnEnded, Text: "done", At: began},
		{ID: "e-2", Session: "s1", Kind: memory.EventCompacted, Text: "the summary", At: slot},
	}
	if diff := cmp.Diff(want, record.SessionEvents); diff != "" {
		t.Errorf("session events (-want +got):\n%s", diff)
	}
	job, err := store.Job(t.Context(), "dedup")
	if err != nil || job != (memory.JobState{Job: "dedup", Cursor: 1790000000000000000, Slot: slot}) {
		t.Errorf("the job stands at %+v, %v", job, err)
	}
	job.Slot = slot.Add(time.Hour)
	if _, err := store.Commit(t.Context(), memory.Commit{Run: memory.Run{ID: "r1", Job: "dedup", StartedAt: slot}, Job: &job}); err != nil {
		t.Errorf("the job cannot go on: %v", err)
	}
}
