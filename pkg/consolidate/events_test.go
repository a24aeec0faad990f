package consolidate_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// After their age limit the events of a session are gone. What was concluded of them stays, word for word: its facts and cures, its
// prompts and its summary. Without a limit the events stay, too.
func TestFactsSurviveTheEventsOfTheirSession(t *testing.T) {
	w := &world{store: surrealtest.Empty(t), clock: noon, limits: policy.UsualLimits()}
	for _, session := range []string{"old", "new"} {
		var events []memory.Event
		happens := func(e memory.Event) {
			at := w.event("p", session)
			e.ID, e.At, e.Session, e.Project = at.ID, at.At, at.Session, at.Project
			events = append(events, e)
		}
		happens(memory.Event{Kind: memory.EventPrompt, Prompt: "install the packages of the shop\nremember: the " + session + " port is 6543"})
		happens(memory.Event{Kind: memory.EventCommandFailed, Command: "npm ci " + session, Error: "Exit code 1\nERESOLVE"})
		happens(memory.Event{Kind: memory.EventCommandSucceeded, Command: "npm ci " + session + " --legacy-peer-deps"})
		happens(memory.Event{Kind: memory.EventSessionEnded})
		w.ingest(t, events)
		records := musttest.Get(w.store.Records(t.Context(), memory.RecordsOf{session}))(t)
		musttest.Do(t, w.store.Ingest(t.Context(), ingest.Conclude(records, wordCounter{})))
		w.clock = w.clock.AddDate(0, 0, 20)
	}
	w.clock = w.clock.AddDate(0, 0, -10)
	left := func(keep time.Duration) (memory.SessionRecord, memory.SessionRecord) {
		r := w.runner()
		r.KeepEvents = keep
		musttest.Get(r.Run(t.Context(), consolidate.Request{Job: schedule.Prune, Trigger: "manual"}))(t)
		records, err := w.store.Records(t.Context(), memory.RecordsOf{"old", "new"})
		if err != nil || len(records) != 2 {
			t.Fatal(records, err)
		}
		return records[0], records[1]
	}
	if past, last := left(0); len(past.SessionEvents) != 2 || len(last.SessionEvents) != 2 {
		t.Fatalf("without a limit %d and %d events are left", len(past.SessionEvents), len(last.SessionEvents))
	}
	before := rowsOf(t, w.store)
	past, last := left(15 * 24 * time.Hour)
	if len(past.SessionEvents) != 0 || len(last.SessionEvents) != 2 {
		t.Errorf("%d events of the old session are left, %d of the new one", len(past.SessionEvents), len(last.SessionEvents))
	}
	if len(past.Prompts) != 1 || len(past.Seen) != 2 || past.Session.Summary.Text == "" {
		t.Errorf("the old session is %+v", past)
	}
	checkSame(t, "prune of events", before, rowsOf(t, w.store))
}
