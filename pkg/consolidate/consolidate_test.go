package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type wordCounter struct{}

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
func (wordCounter) Encoding() string      { return "words" }

// happened puts events of one session into the store, one a minute.
func happened(t *testing.T, store storetest.Store, session string, from time.Time, kinds ...memory.EventKind) {
	t.Helper()
	var events []memory.Event
	for i, kind := range kinds {
		at := from.Add(time.Duration(i) * time.Minute)
		events = append(events, memory.Event{
			ID: fmt.Sprint(session, i, at.Unix()), At: at, Kind: kind, Session: session, Prompt: "fix the build", File: "Makefile",
			Project: memory.Project{Key: "p", Name: "p", Root: "/p"},
		})
	}
	musttest.Do(t, store.Ingest(t.Context(), ingest.Batch(events)))
}

func runnerAt(store storetest.Store, now time.Time) *consolidate.Runner {
	return &consolidate.Runner{Store: store, Counter: wordCounter{}, Now: func() time.Time { return now }, CloseAfter: 24 * time.Hour}
}

func sessionOf(t *testing.T, store storetest.Store, id string) memory.Session {
	t.Helper()
	return musttest.Get(memory.RecordOf(t.Context(), store, id))(t).Session
}

func TestSessionsThatNeverEndedAreClosedAtTheirLastEvent(t *testing.T) {
	store := surrealtest.Empty(t)
	happened(t, store, "killed", noon, memory.EventSessionStarted, memory.EventPrompt, memory.EventFileChanged)
	happened(t, store, "running", noon.Add(23*time.Hour), memory.EventSessionStarted, memory.EventPrompt)
	happened(t, store, "ended", noon, memory.EventSessionStarted, memory.EventPrompt, memory.EventSessionEnded)

	run, err := runnerAt(store, noon.Add(25*time.Hour)).Run(t.Context(), consolidate.Request{Job: schedule.Close, Trigger: "cron"})
	if err != nil || run.Examined != 1 || run.Changed != 1 {
		t.Fatalf("run %+v, %v; want one session closed", run, err)
	}
	killed := sessionOf(t, store, "killed")
	if killed.State != memory.SessionAbandoned || !killed.EndedAt.Equal(noon.Add(2*time.Minute)) || !strings.Contains(killed.Summary.Text, "fix the build") {
		t.Errorf("the killed session is %+v", killed)
	}
	musttest.Same(t, memory.SessionActive, sessionOf(t, store, "running").State, "the running session (-want +got)")
	if again, err := runnerAt(store, noon.Add(25*time.Hour)).Run(t.Context(), consolidate.Request{Job: schedule.Close, Trigger: "cron"}); err != nil || again.Examined != 0 {
		t.Errorf("the second run is %+v, %v", again, err)
	}
}

func TestAnUnknownJobIsRefused(t *testing.T) {
	musttest.Is(t, memory.ErrInvalid, musttest.Err(runnerAt(surrealtest.Empty(t), noon).Run(t.Context(), consolidate.Request{Job: "dance", Trigger: "manual"})), "an unknown job")
}

// A first run over a large store would else hold all that it did.
func TestALargeRunListsItsFirstActions(t *testing.T) {
	t.Parallel()
	const changed, listed = 1010, 1000
	store := surrealtest.Empty(t)
	happened(t, store, "s", noon, memory.EventPrompt)
	var batch memory.Batch
	for i := range changed {
		content := fmt.Sprint("fact ", i)
		batch.Memories = append(batch.Memories, memory.Memory{
			ID: memory.NewID(memory.ScopeProject, "p", content), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic,
			Kind: memory.KindNote, Status: memory.StatusActive, Content: content, CreatedAt: noon, LastSeenAt: noon,
		})
	}
	musttest.Do(t, storetest.Fill(t.Context(), store, batch.Memories))
	r := runnerAt(store, noon)
	r.Page = 200 // a transaction takes longer than five of a fifth
	run, err := r.Run(t.Context(), consolidate.Request{Job: schedule.Prune, Trigger: "manual"})
	if err != nil || run.Changed != changed || len(run.Actions) != listed {
		t.Fatalf("the run changed %d and lists %d, %v; want %d and %d", run.Changed, len(run.Actions), err, changed, listed)
	}
	if recorded, err := memory.RunOf(t.Context(), store, run.ID); err != nil || len(recorded.Actions) != changed {
		t.Errorf("recorded are %d actions, %v", len(recorded.Actions), err)
	}
}

// A run over everything leaves nothing for the next one that looks at changes, and one that fails leaves the cursor where it was.
func TestARunOverEverythingMovesTheMarkWhenAllIsDone(t *testing.T) {
	for _, job := range []string{schedule.Dedup, schedule.Promote} {
		store := surrealtest.Empty(t)
		happened(t, store, "s", noon, memory.EventSessionStarted, memory.EventPrompt)
		note := memory.Memory{
			ID: "m", Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
			Status: memory.StatusActive, Content: "the port is 6543", Importance: 0.5, CreatedAt: noon, LastSeenAt: noon,
		}
		musttest.Do(t, store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{note}}))
		cursor := func() memory.ChangeCursor { return musttest.Get(memory.StateOf(t.Context(), store, job))(t).Cursor }
		everything := consolidate.Request{Job: job, Trigger: "manual", All: true}
		if _, err := runnerAt(unreadable{store}, noon).Run(t.Context(), everything); err == nil || cursor() != 0 {
			t.Errorf("%s: a run that failed (%v) left the cursor %d", job, err, cursor())
		}
		if _, err := runnerAt(store, noon).Run(t.Context(), everything); err != nil || cursor() == 0 {
			t.Errorf("%s: a run over everything (%v) left the cursor %d", job, err, cursor())
		}
		again, err := runnerAt(store, noon).Run(t.Context(), consolidate.Request{Job: job, Trigger: "manual"})
		if err != nil || again.Changed > 0 {
			t.Errorf("%s: the next run is %+v, %v", job, again, err)
		}
	}
}

// unreadable fails wherever a run over everything begins.
type unreadable struct{ storetest.Store }

var errUnreadable = errors.New("unreadable")

func (s unreadable) Changed(context.Context, memory.ChangeQuery) (memory.ChangePage, error) {
	return memory.ChangePage{}, errUnreadable
}

// reading counts the rows that a job reads.
type reading struct {
	storetest.Store
	rows int
}

func (s *reading) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	rows, err := s.Store.Rows(ctx, q)
	s.rows += len(rows)
	return rows, err
}

func (s *reading) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	page, err := s.Store.Changed(ctx, q)
	s.rows += len(page.Rows)
	return page, err
}

// Each job reads as many rows for each of many similar rows as for one of few: the same words of other projects and files.
func TestRowsOfOneFormAreReadOnce(t *testing.T) {
	t.Parallel()
	read := func(job string, n int) int {
		store := &reading{Store: surrealtest.Empty(t)}
		musttest.Do(t, storetest.Fill(t.Context(), store, alike(n)))
		r := runnerAt(store, noon.Add(time.Hour))
		r.Page = 8
		musttest.Get(r.Run(t.Context(), consolidate.Request{Job: job, Trigger: "manual"}))(t)
		return store.rows
	}
	for _, job := range schedule.JobNames() {
		few := read(job, 20)
		many := read(job, 80)
		if float64(many) > 4.4*float64(few) {
			t.Errorf("%s: of 80 rows %d were read, of 20 %d", job, many, few)
		}
	}
}

// alike are facts of which each has the words of the others.
func alike(n int) []memory.Memory {
	var all []memory.Memory
	for i := range n {
		m := memory.Memory{
			ID: fmt.Sprintf("%064x", i), Project: fmt.Sprint("p", i%2), Kind: memory.KindConvention, Type: memory.TypeSemantic, Scope: memory.ScopeProject,
			Status: memory.StatusActive, Source: memory.SourceAssistant, Title: "A rule of the package manager", Importance: 0.6, CreatedAt: noon.Add(time.Duration(i) * time.Second),
			Content: fmt.Sprintf("never start `pnpm` from lib/part%d.go", i),
		}
		if i%2 == 0 { // the same in some projects
			m.Project, m.Content = fmt.Sprint("q", i%8), fmt.Sprintf("always start `pnpm` from the root of part%d", i/8)
		}
		m.LastSeenAt = m.CreatedAt
		all = append(all, m)
	}
	return all
}

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

// What corrects a line stays as long as the line: prune archives neither the user's sentence in passing that may correct it, nor the
// memory that superseded it, whichever scopes they have, and however little room there is.
func TestWhatCorrectsALineStaysAsLongAsTheLine(t *testing.T) {
	t.Parallel()
	const old, newer = "the staging database is on port 5432", "The staging database is on port 6543 now, not 5432."
	none := func(*memory.Row) {}
	asked := func(r *memory.Row) { r.UserWritten = true }
	global := func(r *memory.Row) { r.Memory.Scope, r.Memory.Project = memory.ScopeUser, "" }
	fact := func(r *memory.Row) { r.Memory.Source, r.Memory.Title = memory.SourceAssistant, "Staging DB" }
	both := func(a, b func(*memory.Row)) func(*memory.Row) { return func(r *memory.Row) { a(r); b(r) } }
	replaced := func(r *memory.Row) { r.SupersededBy = memory.NewID(memory.ScopeProject, "p", newer) }
	for _, test := range []struct {
		name            string
		line, corrector func(*memory.Row)
		text            string
		stays           bool
	}{
		{"said in passing", asked, none, newer, true},
		{"a line of every project", both(asked, global), none, newer, true},
		{"said for every project", asked, global, newer, true},
		{"a pinned fact", func(r *memory.Row) { fact(r); r.Memory.Pinned = true }, none, newer, true},
		{"a fact that superseded it", both(asked, replaced), fact, newer, true},
		{"a fact of every project that superseded it", both(asked, replaced), both(fact, func(r *memory.Row) { r.Memory.Scope, r.Memory.Project = memory.ScopeUser, "" }), newer, true},
		{"both in passing", none, none, newer, false},
		{"about something else", asked, none, "All SQL must be upper case.", false},
		{"only a fact", asked, fact, newer, false},
	} {
		for _, limits := range []policy.Limits{policy.UsualLimits(), {ProjectBudget: 1, UserBudget: 1}} {
			w := &world{store: surrealtest.Empty(t), clock: noon, limits: limits}
			row := func(text string, at time.Time, changes func(*memory.Row)) memory.RowChange {
				r := memory.Row{UsedAt: at, Memory: memory.Memory{
					ID: memory.NewID(memory.ScopeProject, "p", text), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
					Status: memory.StatusActive, Source: memory.SourceUser, Content: text, Importance: memory.SaidImportance, CreatedAt: at, LastSeenAt: at,
				}}
				changes(&r)
				return memory.RowChange{After: r}
			}
			changes := []memory.RowChange{row(old, noon, test.line), row(test.text, noon.Add(time.Hour), test.corrector)}
			musttest.Do(t, w.store.Apply(t.Context(), memory.Write{Rows: changes}))
			var days []memory.ActiveDay
			for range 60 {
				w.clock = w.clock.AddDate(0, 0, 1)
				days = append(days, memory.ActiveDay{Project: "p", Day: w.clock.Format(time.DateOnly)})
			}
			musttest.Do(t, w.store.Ingest(t.Context(), memory.Batch{Days: days}))
			w.run(t, schedule.Prune)
			after := rowsOf(t, w.store)[memory.NewID(memory.ScopeProject, "p", test.text)]
			if after.Memory.IsRecallable() != test.stays {
				t.Errorf("%s, limits %v: the newer one is %s", test.name, limits, after.Memory.Status)
			}
			if again := w.run(t, schedule.Prune); again.Changed > 0 {
				t.Errorf("%s, limits %v: a second run changed %s", test.name, limits, describe(again))
			}
			if !test.stays {
				continue
			}
			_, _, err := w.store.Amend(t.Context(), changes[0].After.(memory.Row).Memory.ID, memory.Change{ID: "forget", At: w.clock, By: memory.ByPerson, Status: memory.StatusArchived})
			musttest.Do(t, err)
			w.run(t, schedule.Prune)
			if status := rowsOf(t, w.store)[after.Memory.ID].Memory.Status; status != memory.StatusArchived {
				t.Errorf("%s, limits %v: without the line the newer one is %s", test.name, limits, status)
			}
		}
	}
}
