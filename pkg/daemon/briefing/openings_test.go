package briefing_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func TestAStartHasTheLatestWritesOfThisDaemon(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: the first"))
	if got := daemontest.StartOf(t, a, "s2"); !strings.Contains(got, "the first") {
		t.Errorf("start is %q", got)
	}
	daemontest.Ingested(t, a, daemontest.Prompt(2, "fix it, we never skip the tests\nremember: the second"), daemontest.Prompt(3, "preference: the third"), daemontest.Failed(4, "make test"), daemontest.Event(5, memory.EventSessionEnded))
	got := daemontest.StartOf(t, a, "s3")
	for _, part := range []string{"the first", "the second", "the third", "Where the last session stopped"} {
		if !strings.Contains(got, part) {
			t.Errorf("the start does not have %q:\n%s", part, got)
		}
	}
	if got := daemontest.StartOf(t, a, "s1"); strings.Contains(got, "Where the last session stopped") {
		t.Errorf("the start of a session has its own summary:\n%s", got)
	}
}

// TestAStartIsTheSameWhetherItWasPackedBefore compares the starts of a daemon that has made many with those of one that begins.
func TestAStartIsTheSameWhetherItWasPackedBefore(t *testing.T) {
	a, _, _ := daemontest.New(t)
	root, now := t.TempDir(), time.Now()
	a.Instructions = instructions.New(t.TempDir(), func() time.Time { return now })
	a.Rebuild()
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: the gateway retries three times"), daemontest.Prompt(2, "we never skip the tests"), daemontest.Failed(3, "make test"), daemontest.Event(4, memory.EventSessionEnded))
	seen := map[string]bool{}
	for round, rule := range []string{"", "- The gateway retries three times\n", ""} {
		musttest.Do(t, os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte(rule), 0o600))
		now = now.Add(time.Minute) // the file is read again
		for n, p := range []daemonapi.SessionContextParams{{TokenBudget: 1000}, {TokenBudget: 70}, {TokenBudget: 1000, Program: true}, {TokenBudget: 1000}} {
			p.Project, p.Source, p.Root, p.Session = "p", "startup", root, fmt.Sprint("s", round*4+3-n) // the last of the first round has ended before
			warm := musttest.Get(a.Briefing.SessionContext(t.Context(), p))(t)
			cold := musttest.Get(daemontest.Restarted(a).Briefing.SessionContext(t.Context(), p))(t)
			musttest.Same(t, cold, warm, "rule %q, %+v (-first start +later)", rule, p)
			seen[warm.Text] = true
		}
	}
	if len(seen) < 5 {
		t.Errorf("%d different starts: nothing is tested", len(seen))
	}
}

// TestAnotherDaemonsWriteIsSeenAfterAWhile has two daemons on one store.
func TestAnotherDaemonsWriteIsSeenAfterAWhile(t *testing.T) {
	a, store, _ := daemontest.New(t)
	now := daemontest.Noon
	a.Now = func() time.Time { return now }
	a.Config.Store.URL = "wss://example.com/rpc"
	a.Rebuild()
	daemontest.StartOf(t, a, "s1")
	musttest.Do(t, store.Ingest(t.Context(), ingest.Batch([]memory.Event{daemontest.Prompt(1, "remember: from elsewhere")})))
	now = now.Add(2 * time.Minute)
	if got := daemontest.StartOf(t, a, "s2"); !strings.Contains(got, "from elsewhere") {
		t.Errorf("start is %q", got)
	}
}

// awayStore is a remote store whose reads fail while it is away.
type awayStore struct {
	daemon.Store
	away bool
}

func (s *awayStore) Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	if err := s.gone(); err != nil {
		return nil, err
	}
	return s.Store.Sessions(ctx, q)
}

func (s *awayStore) gone() error {
	if s.away {
		return memory.ErrUnavailable
	}
	return nil
}

func (s *awayStore) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	if err := s.gone(); err != nil {
		return nil, err
	}
	return s.Store.Rows(ctx, q)
}

func (s *awayStore) Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	if err := s.gone(); err != nil {
		return nil, err
	}
	return s.Store.Records(ctx, q)
}

// TestAStoreThatIsAwayForDaysIsServedFromCaches starts, resumes and compacts sessions, and sends
// prompts, while the store cannot be reached.
func TestAStoreThatIsAwayForDaysIsServedFromCaches(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	now := daemontest.Noon
	a.Now = func() time.Time { return now }
	store := &awayStore{Store: a.Store}
	a.Store = store
	a.Config.Store.URL = "wss://example.com/rpc"
	a.Rebuild()
	daemontest.StartOf(t, a, "s1")
	_, _ = a.Briefing.Index(t.Context(), "p")
	store.away, now = true, now.Add(72*time.Hour)
	a.Briefing.Committed(t.Context(), intake.Committed{Sessions: []memory.Session{{ID: "s0", Project: "p", State: memory.SessionCompleted}}}) // else no start needs the store
	for _, source := range []string{"startup", "resume", session.Compact} {
		result, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s of " + source, Source: source, TokenBudget: 1000, Before: "0"})
		if err != nil || !strings.Contains(result.Text, "6543") {
			t.Errorf("a %s gets %q, %v", source, result.Text, err)
		}
	}
	ask := daemonapi.RecallParams{Project: "p", Session: "new", Purpose: daemonapi.ForPrompt, Text: "which port does the staging database listen on?", TokenBudget: 400}
	first, err := a.Briefing.Recall(t.Context(), ask)
	if err != nil || !strings.Contains(first.Text, "6543") {
		t.Errorf("a prompt gets %q, %v", first.Text, err)
	}
	if again, err := a.Briefing.Recall(t.Context(), ask); err != nil || again.Text != "" {
		t.Errorf("a prompt gets the same again: %q, %v", again.Text, err)
	}
}

func TestAStartWaitsForItsOwnProjectOnly(t *testing.T) {
	a, store, s := daemontest.New(t)
	other := daemontest.Prompt(1, "remember: elsewhere")
	other.Project.Key = "q"
	daemontest.Put(t, s, other)
	daemontest.StartOf(t, a, "s2")
	if counts, err := s.Counts(); err != nil || counts.New != 1 {
		t.Errorf("a start took %+v of another project, %v", counts, err)
	}
	daemontest.Put(t, s, daemontest.Prompt(2, "remember: the port is 8123"))
	var waits []bool
	store.Fail = func(memory.Batch) error {
		waits = append(waits, daemontest.MustWait(t, a, "p", "1"), daemontest.MustWait(t, a, "r", "1"))
		return nil
	}
	result, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
		Project: "p", Session: "s3", Source: "startup", TokenBudget: 1000, Before: memory.NewEventID(daemontest.Noon.Add(time.Hour)),
	})
	if err != nil || !strings.Contains(result.Text, "8123") {
		t.Errorf("the start has %q, %v", result.Text, err)
	}
	if len(waits) != 2 || !waits[0] || waits[1] {
		t.Errorf("while the event is stored, starts of its project and of another wait: %v", waits)
	}
	if daemontest.MustWait(t, a, "p", "") {
		t.Error("a start waits for nothing")
	}
}

func TestAStartDoesNotLookThroughALongQueue(t *testing.T) {
	a, _, s := daemontest.New(t)
	for i := range 70 {
		e := daemontest.Prompt(i, "elsewhere")
		e.Project.Key = "q"
		daemontest.Put(t, s, e)
	}
	if !daemontest.MustWait(t, a, "p", "") {
		t.Error("a long queue may hold events of the project")
	}
	if daemontest.MustWait(t, a, "p", "0") {
		t.Error("none is older than that")
	}
}

// TestAStartDoesNotWaitForAnEnd ends a session and starts the next while the store accepts no writes: the start is the
// same as after everything is stored.
func TestAStartDoesNotWaitForAnEnd(t *testing.T) {
	a, store, s := daemontest.New(t)
	started := daemontest.Event(1, memory.EventSessionStarted)
	started.Source = "startup"
	changed := daemontest.Event(3, memory.EventFileChanged)
	changed.Tool, changed.File, changed.After = "Edit", "port.go", "const port = 8123"
	turn := daemontest.Event(4, memory.EventTurnEnded)
	turn.Text = "The port is a constant now."
	daemontest.Put(t, s, started, daemontest.Prompt(2, "make the port a constant"), changed, turn)
	daemontest.Ingested(t, a)
	daemontest.StartOf(t, a, "s0")
	daemontest.Put(t, s, daemontest.Event(5, memory.EventSessionEnded))
	refused := 0
	store.Fail = func(memory.Batch) error { refused++; return memory.ErrUnavailable }
	before := daemontest.StartAfter(t, a, "s2")
	if refused > 0 || !strings.Contains(before, "make the port a constant") {
		t.Errorf("the start waited %d times, and has:\n%s", refused, before)
	}
	store.Fail = nil
	daemontest.Ingested(t, a)
	if after := daemontest.StartAfter(t, a, "s3"); after != before {
		t.Errorf("the start was:\n%s\nwhen the end was stored:\n%s", before, after)
	}
}

// TestAStartWaitsForEventsThatChangeIt spools events that may change a start.
func TestAStartWaitsForEventsThatChangeIt(t *testing.T) {
	edit := daemontest.Event(11, memory.EventFileChanged)
	edit.Tool, edit.File, edit.After = "Edit", "port.go", "const port = 8123"
	resumed := daemontest.Event(11, memory.EventSessionStarted)
	resumed.Source = "resume"
	other, unknown := edit, daemontest.Event(12, memory.EventSessionEnded)
	other.Session, unknown.Session = "s9", "s8"
	for name, c := range map[string]struct {
		waiting []memory.Event
		want    bool
	}{
		"nothing":                                {nil, false},
		"an edit":                                {[]memory.Event{edit}, false},
		"a rule":                                 {[]memory.Event{daemontest.Prompt(11, "remember: the port is 8123")}, true},
		"a prompt that reopens":                  {[]memory.Event{daemontest.Prompt(11, "go on")}, true},
		"a session that goes on":                 {[]memory.Event{resumed}, true},
		"an end":                                 {[]memory.Event{daemontest.Event(12, memory.EventSessionEnded)}, false},
		"an end and an edit before it":           {[]memory.Event{edit, daemontest.Event(12, memory.EventSessionEnded)}, true},
		"an end and an edit elsewhere":           {[]memory.Event{other, daemontest.Event(12, memory.EventSessionEnded)}, false},
		"an end of a session that is not stored": {[]memory.Event{unknown}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, s := daemontest.New(t)
			daemontest.Ingested(t, a, daemontest.Prompt(1, "make the port a constant"), daemontest.Event(2, memory.EventTurnEnded))
			daemontest.Put(t, s, c.waiting...)
			musttest.Same(t, c.want, daemontest.MustWait(t, a, "p", ""), "a start must wait (-want +got)")
		})
	}
}

// Maintenance waits, because a new session often starts when one has ended or the daemon has started.
func TestMaintenanceKeepsOffForAWhile(t *testing.T) {
	for name, begin := range map[string]func(*testing.T, *daemontest.Fixture){
		"a session has ended": func(t *testing.T, a *daemontest.Fixture) {
			daemontest.Ingested(t, a, daemontest.Event(1, memory.EventSessionEnded))
			a.Upkeep.AfterSessions(t.Context())
		},
		"the daemon has started": func(t *testing.T, a *daemontest.Fixture) { t.Cleanup(a.Upkeep.Start(t.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, store, _ := daemontest.New(t)
				a.Now = time.Now
				ran := func() bool {
					synctest.Wait()
					job, err := memory.StateOf(t.Context(), store, schedule.Prune)
					runs, errRuns := store.Runs(t.Context(), memory.RunQuery{Limit: 10})
					if err != nil || errRuns != nil {
						t.Fatal(err, errRuns)
					}
					return !job.Slot.IsZero() || len(runs) > 0
				}
				begin(t, a)
				time.Sleep(a.Config.Maintenance.Quiet - time.Second)
				if ran() {
					t.Error("maintenance did not wait")
				}
				time.Sleep(2 * time.Second)
				if !ran() {
					t.Error("maintenance never ran")
				}
			})
		})
	}
}

func TestAPurgeForgetsTheUsesThatAreNotStored(t *testing.T) {
	a, m := withOneMemory(t)
	elsewhere := daemontest.Prompt(2, "of another project")
	elsewhere.Session, elsewhere.Project.Key = "s9", "other"
	daemontest.Ingested(t, a, elsewhere)
	a.Sessions.Recalled("s", []string{m.ID}, daemontest.Noon)
	musttest.Get(a.Projects.Purge(t.Context(), daemonapi.PurgeParams{Key: "other"}))(t)
	musttest.Same(t, 0, usesOf(t, a, m.ID), "uses after the purge")
}
