package distiller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// distilling is a daemon with a model, and distillation switched on.
func distilling(t *testing.T, answer func(distill.Question) (distill.Reply, error)) (*daemontest.Fixture, *daemontest.Scripted, *spool.Spool) {
	t.Helper()
	a, _, s := daemontest.New(t)
	model := &daemontest.Scripted{Answer: answer}
	a.Config.Distill.Enabled, a.Redact = true, func(text string) string { return text }
	a.Config.Distill.DayTokens = 1_000_000
	a.Distills = func() (config.Distill, distill.Model) {
		now := a.Config.Distill
		now.Enabled = now.Enabled && !model.Off.Load()
		return now, model
	}
	a.Rebuild()
	return a, model, s
}

const rule = "we must never join on the account, guests have none"

// live stores events and works the queue off.
func live(t *testing.T, a *daemontest.Fixture, s *spool.Spool, events ...memory.Event) {
	t.Helper()
	daemontest.Ingested(t, a, events...)
	a.Distiller.AfterSessions(t.Context())
	a.Distiller.Wait()
}

// long returns the events of a session that is more than a question of 6,000 tokens has room for.
func long() []memory.Event {
	text := strings.Repeat("the export for guests is still empty in this place and that place ", 22)
	return daemontest.Ended("s1", text+"one", text+"two", text+"three", text+"four", text+"five", text+"six")
}

func anHourLater(events []memory.Event) []memory.Event {
	for i := range events {
		events[i].At = events[i].At.Add(time.Hour)
	}
	return events
}

func workOff(t *testing.T, a *daemontest.Fixture) {
	t.Helper()
	a.Distiller.Work(t.Context())
	a.Distiller.Wait()
}

func queue(t *testing.T, a *daemontest.Fixture, states ...memory.DistillationState) []memory.Distillation {
	t.Helper()
	return musttest.Get(a.Store.Distillations(t.Context(), memory.DistillationQuery{States: states}))(t)
}

func spentOn(t *testing.T, a *daemontest.Fixture) (calls, tokens int) {
	t.Helper()
	totals := musttest.Get(a.Store.Totals(t.Context(), memory.SpendQuery{}))(t)
	for _, total := range totals.Spent {
		calls, tokens = calls+total.Calls, tokens+total.Tokens()
	}
	return calls, tokens
}

func recordOf(t *testing.T, a *daemontest.Fixture) memory.SessionRecord {
	t.Helper()
	return daemontest.RecordNamed(t, a, "s1")
}

func TestWithoutTheSwitchNoModelIsAsked(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	a.Config.Distill.Enabled = false
	a.Rebuild()
	defer a.Distiller.Start(t.Context())()
	live(t, a, s, daemontest.Ended("s1", rule)...)
	workOff(t, a)
	if _, err := a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: "s1"}); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "switched off") {
		t.Errorf("asked by hand: %v", err)
	}
	dry, err := a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: "s1", DryRun: true})
	if err != nil || len(dry.Calls) != 1 || !strings.Contains(dry.Calls[0].Prompt, rule) || dry.Calls[0].Tokens == 0 {
		t.Errorf("a dry run: %v, %+v", err, dry)
	}
	estimate, err := a.Distiller.Estimate(t.Context(), daemonapi.DistillEstimateParams{Sessions: 100})
	if err != nil || len(estimate.Pending) != 1 || estimate.Input == 0 || estimate.USD == 0 {
		t.Errorf("an estimate: %v, %+v", err, estimate)
	}
	calls, _ := spentOn(t, a)
	if model.Calls() != 0 || calls != 0 || len(queue(t, a, memory.DistillationWaiting)) != 0 {
		t.Errorf("%d calls, %d noted", model.Calls(), calls)
	}
}

// Distillation is switched while the daemon runs: sessions that end meanwhile are asked about, or not.
func TestTheSwitchIsTakenOverWhileTheDaemonRuns(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	model.Off.Store(true)
	live(t, a, s, daemontest.Ended("s1", rule)...)
	workOff(t, a)
	model.Off.Store(false)
	live(t, a, s, daemontest.Ended("s2", rule)...)
	workOff(t, a)
	if got := len(queue(t, a, memory.DistillationDone)); model.Calls() != got || got == 0 {
		t.Errorf("switched on: %d calls, %d sessions are distilled", model.Calls(), got)
	}
	calls := model.Calls()
	model.Off.Store(true)
	live(t, a, s, daemontest.Ended("s3", rule)...)
	workOff(t, a)
	if model.Calls() != calls {
		t.Errorf("switched off: %d more calls", model.Calls()-calls)
	}
	if status, err := a.Distiller.Status(t.Context()); err != nil || status.Enabled {
		t.Errorf("switched off: %+v, %v", status, err)
	}
}

// Switched off between two parts, no further part is asked, and the earlier answers stay.
func TestSwitchedOffInTheMiddleNothingMoreIsAsked(t *testing.T) {
	var model *daemontest.Scripted
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		model.Off.Store(true)
		return daemontest.Wrote("x")
	})
	a.Config.Distill.CallTokens = 6_000
	a.Rebuild()
	live(t, a, s, long()...)
	workOff(t, a)
	rows := queue(t, a, memory.DistillationWaiting)
	if model.Calls() != 1 || len(rows) != 1 || rows[0].Tries != 0 || !strings.Contains(rows[0].Reason, "switched off") {
		t.Fatalf("%d calls, the queue has %+v", model.Calls(), rows)
	}
	model.Off.Store(false)
	workOff(t, a)
	if model.Calls() != 2 { // it is switched off again by the next answer
		t.Errorf("switched on again: %d calls", model.Calls())
	}
}

// A call that is running is named with what it may cost, and ends when distillation is switched off; its session waits.
func TestSwitchedOffDuringACallTheCallEnds(t *testing.T) {
	a, model, _ := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	asked := make(chan struct{}, 1)
	model.Wait = func(ctx context.Context) error {
		asked <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	daemontest.Ingested(t, a, daemontest.Ended("s1", rule)...)
	a.Distiller.AfterSessions(t.Context())
	<-asked
	spent, err := a.Distiller.Spend(t.Context(), 1)
	if r := spent.Status.Running; err != nil || r == nil || r.Session != "s1" || r.Tokens <= 0 || r.Since.IsZero() {
		t.Errorf("a running call: %+v, %v", r, err)
	}
	model.Off.Store(true)
	a.Distiller.Wait()
	rows := queue(t, a, memory.DistillationWaiting)
	if len(rows) != 1 || rows[0].Tries != 0 || !strings.Contains(rows[0].Reason, "switched off") {
		t.Errorf("the queue has %+v", rows)
	}
	if spent, err = a.Distiller.Spend(t.Context(), 1); err != nil || spent.Status.Running != nil {
		t.Errorf("after its end: %+v, %v", spent.Status.Running, err)
	}
}

// A session that is resumed and ends again while it is being distilled is distilled to its end.
func TestASessionThatEndsAgainMeanwhileIsDistilled(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	again := anHourLater(daemontest.Ended("s1", "we must never round in the shop"))
	for i := range again {
		again[i].ID += "-again"
	}
	model.Wait = func(context.Context) error {
		model.Wait = nil
		daemontest.Put(t, s, again...)
		_, err := a.Intake.Ingest(t.Context())
		return err
	}
	live(t, a, s, daemontest.Ended("s1", rule)...)
	workOff(t, a)
	model.Mu.Lock()
	defer model.Mu.Unlock()
	if len(model.Asked) < 2 || !strings.Contains(model.Asked[len(model.Asked)-1], "round in the shop") {
		t.Errorf("asked %d times, the last time about %q", len(model.Asked), model.Asked[len(model.Asked)-1])
	}
}

// The backlog is the sessions that are over and not distilled, in the order in which they ended, of the requested time.
func TestTheBacklogIsTheUndistilledSessions(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	a.Config.Distill.CatchUp = 0
	a.Rebuild()
	model.Off.Store(true)
	live(t, a, s, daemontest.Ended("s1", rule)...)
	live(t, a, s, daemontest.Ended("s2", rule)...)
	open := daemontest.Ended("s3", rule)
	live(t, a, s, open[:len(open)-1]...)
	pending := func(p daemonapi.DistillEstimateParams) []string {
		return musttest.Get(a.Distiller.Estimate(t.Context(), p))(t).Pending
	}
	first := pending(daemonapi.DistillEstimateParams{Sessions: 100})
	if len(first) != 2 || slices.Contains(first, "s3") {
		t.Errorf("the backlog is %q", first)
	}
	if none := pending(daemonapi.DistillEstimateParams{Sessions: 100, Since: a.Now().Add(time.Hour)}); len(none) != 0 {
		t.Errorf("of the future there is %q", none)
	}
	model.Off.Store(false)
	musttest.Get(a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: first[0]}))(t)
	if left := pending(daemonapi.DistillEstimateParams{Sessions: 100}); !slices.Equal(left, first[1:]) {
		t.Errorf("after one the backlog is %q, want %q", left, first[1:])
	}
}

func TestAnEndedSessionIsDistilledOnce(t *testing.T) {
	const fact = "Export queries must not join on the account: guests have none."
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		return daemontest.Wrote("guests have no account", [2]string{fact, rule})
	})
	live(t, a, s, daemontest.Ended("s1", rule)...)
	workOff(t, a)
	if calls, tokens := spentOn(t, a); model.Calls() != 1 || calls != 1 || tokens != model.Spent {
		t.Fatalf("%d calls; noted are %d with %d tokens", model.Calls(), calls, tokens)
	}
	id := memory.NewID(memory.ScopeProject, "p", fact)
	rows, err := a.Store.Rows(t.Context(), memory.WithIDs{id})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v: %+v", err, rows)
	}
	m := rows[0].Memory
	if m.Source != memory.SourceAssistant || m.Kind != memory.KindConvention || m.Scope != memory.ScopeProject || m.Status != memory.StatusActive ||
		!slices.Equal(m.Tags, []string{memory.TagModel, memory.TagUsersWords}) || m.Detail != `"`+rule+`"` {
		t.Errorf("the fact is %+v", m)
	}
	record := recordOf(t, a)
	statement := memory.NewID(memory.ScopeProject, "p", rule)
	if !slices.Equal(rows[0].DerivedFrom, []string{statement}) {
		t.Errorf("it is derived from %q", rows[0].DerivedFrom)
	}
	stated, err := memory.Find(t.Context(), a.Store, statement)
	if err != nil || stated.Source != memory.SourceUser || stated.Content != rule || stated.Status != memory.StatusActive {
		t.Errorf("the user's statement is %+v (%v)", stated, err)
	}
	want := memory.Digest{Request: "An export for guests", Learned: "guests have no account", FilesModified: []string{"export.sql"}, Source: memory.SourceAssistant}
	musttest.Same(t, want, record.Session.Summary.Digest, "the digest (-want +got)")
	if !record.Session.LastEventAt.Equal(daemontest.Event(10, "").At) {
		t.Errorf("the session's last event is of %s", record.Session.LastEventAt)
	}
}

func TestAnAnswerThatCannotBeUsedIsTriedThreeTimes(t *testing.T) {
	for name, answer := range map[string]func(distill.Question) (distill.Reply, error){
		"broken": func(distill.Question) (distill.Reply, error) { return distill.Reply{Text: []byte(`{"summ`)}, nil },
		"crash":  func(distill.Question) (distill.Reply, error) { return distill.Reply{}, errors.New("signal: killed") },
		"bug":    func(distill.Question) (distill.Reply, error) { panic("a bug") },
		"invented": func(distill.Question) (distill.Reply, error) {
			reply, err := daemontest.Wrote("", [2]string{"We always deploy on Fridays.", "these words are in no session"})
			reply.Text = []byte(strings.Replace(string(reply.Text), "An export for guests", "", 1))
			return reply, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, model, s := distilling(t, answer)
			live(t, a, s, daemontest.Ended("s1", rule)...)
			before := recordOf(t, a)
			now := daemontest.Noon
			a.Now = func() time.Time { return now }
			for range 4 {
				workOff(t, a) // too early
				calls := model.Calls()
				workOff(t, a)
				if model.Calls() != calls {
					t.Error("it was tried again at once")
				}
				now = now.Add(2 * time.Hour)
			}
			dead := queue(t, a, memory.DistillationDead)
			if model.Calls() != 3 || len(dead) != 1 || dead[0].Tries != 3 || dead[0].Reason == "" {
				t.Errorf("%d calls, dead is %+v", model.Calls(), dead)
			}
			musttest.Same(t, before, recordOf(t, a), "the session changed")
			if _, tokens := spentOn(t, a); tokens == 0 {
				t.Error("calls without a report cost nothing")
			}
		})
	}
}

func TestARunnerThatDoesNotWorkStopsTheQueue(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		return distill.Reply{Usage: distill.Usage{Reported: true}}, fmt.Errorf("%w: not installed", distill.ErrRunner)
	})
	live(t, a, s, slices.Concat(daemontest.Ended("s1", rule), daemontest.Ended("s2", rule))...)
	workOff(t, a)
	if model.Calls() != 1 || len(queue(t, a, memory.DistillationWaiting)) != 2 {
		t.Errorf("%d calls, waiting are %+v", model.Calls(), queue(t, a, memory.DistillationWaiting))
	}
	status, err := a.Distiller.Status(t.Context())
	if err != nil || !strings.Contains(status.Stopped, "not installed") || status.Waiting != 2 || status.Today != 0 {
		t.Errorf("%v: %+v", err, status)
	}
}

func TestTheLimitOfADayIsReachedInTheMiddle(t *testing.T) {
	parts := 0
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		parts++
		reply, err := daemontest.Wrote(fmt.Sprint("guests have no account in part ", parts))
		reply.Usage.Input = 4000
		return reply, err
	})
	a.Config.Distill.CallTokens, a.Config.Distill.DayTokens = 6_000, 8_000
	a.Rebuild()
	now := daemontest.Noon
	a.Now = func() time.Time { return now }
	live(t, a, s, long()...)
	waiting := queue(t, a, memory.DistillationWaiting)
	if model.Calls() != 1 || len(waiting) != 1 || waiting[0].Tries != 0 || !strings.Contains(waiting[0].Reason, "limit of a day") {
		t.Fatalf("%d calls, waiting is %+v", model.Calls(), waiting)
	}
	status, err := a.Distiller.Status(t.Context())
	if err != nil || !strings.Contains(status.Stopped, "distill.day_tokens") || status.Today != 4050 {
		t.Errorf("%v: %+v", err, status)
	}
	for day := 1; day < 9 && len(queue(t, a, memory.DistillationDone)) == 0; day++ {
		workOff(t, a)
		now = now.Add(24 * time.Hour)
	}
	seen := map[string]int{}
	for _, prompt := range model.Asked {
		if seen[prompt]++; seen[prompt] > 1 {
			t.Errorf("asked twice:\n%.200s", prompt)
		}
	}
	if got := recordOf(t, a).Session.Summary.Digest; parts < 2 || got.Request != "An export for guests" || got.Learned != fmt.Sprint("guests have no account in part ", parts) {
		t.Errorf("after %d parts the digest is %+v", parts, got)
	}
	if calls, tokens := spentOn(t, a); calls != model.Calls() || tokens != model.Spent {
		t.Errorf("%d calls with %d tokens, noted are %d with %d", model.Calls(), model.Spent, calls, tokens)
	}
}

func TestTheLimitOfASessionEndsIt(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		reply, err := daemontest.Wrote("guests have no account")
		reply.Usage.Input = 4000
		return reply, err
	})
	a.Config.Distill.CallTokens, a.Config.Distill.SessionTokens = 6_000, 8_000
	a.Rebuild()
	live(t, a, s, long()...)
	done := queue(t, a, memory.DistillationDone)
	if model.Calls() != 1 || len(done) != 1 || !strings.Contains(done[0].Reason, "distill.session_tokens") {
		t.Errorf("%d calls, done is %+v", model.Calls(), done)
	}
}

func TestManySessionsAreDistilledOneAtATime(t *testing.T) {
	a, model, _ := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("guests have no account") })
	var all []memory.Event
	for i := range 8 {
		all = append(all, daemontest.Ended(fmt.Sprint("s", i), rule)...)
	}
	daemontest.Ingested(t, a, all...)
	for range 4 {
		a.Distiller.AfterSessions(t.Context())
		a.Distiller.Work(t.Context())
	}
	a.Distiller.Wait()
	if calls, tokens := spentOn(t, a); model.Calls() != 8 || model.Most != 1 || calls != 8 || tokens != model.Spent {
		t.Errorf("%d calls, %d at once; noted are %d with %d of %d tokens", model.Calls(), model.Most, calls, tokens, model.Spent)
	}
}

// Sessions that maintenance has closed, that were imported, or that ended while the switch was off are
// found among the newest sessions, once, and not for the sake of a start.
func TestSessionsThatNoEventQueuedAreCaughtUpWith(t *testing.T) {
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("guests have no account") })
	a.Now = func() time.Time { return daemontest.Noon.Add(time.Hour) }
	a.Config.Distill.CatchUp = 3
	a.Config.Distill.Enabled = false
	a.Rebuild()
	var all []memory.Event
	for i := range 5 {
		for _, e := range daemontest.Ended(fmt.Sprint("s", i), rule) {
			e.At = e.At.Add(time.Duration(i) * time.Minute)
			all = append(all, e)
		}
	}
	live(t, a, s, all...)
	daemontest.Put(t, s, daemontest.Prompt(3600, "this one goes on")) // s1 is open again, and the newest
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	a.Config.Distill.Enabled = true
	a.Rebuild()
	a.Distiller.AfterSessions(t.Context())
	a.Distiller.Wait()
	if model.Calls() != 0 {
		t.Fatalf("%d calls because of a start", model.Calls())
	}
	workOff(t, a)
	workOff(t, a)
	done := queue(t, a, memory.DistillationDone)
	if model.Calls() != 2 || len(done) != 2 || done[0].Session != "s3" || done[1].Session != "s4" || done[0].Trigger != "catch_up" {
		t.Errorf("%d calls, done are %+v", model.Calls(), done)
	}
}

// An estimate reads many sessions in one round trip.
func TestAnEstimateReadsSessionsTogether(t *testing.T) {
	a, _, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("x") })
	counted := &daemontest.CountedStore{Store: a.Store.(storetest.Store), Calls: map[string]int{}}
	a.Store = counted
	a.Rebuild()
	for i := range 30 {
		daemontest.Put(t, s, daemontest.Ended(fmt.Sprint("s", i), rule)...)
	}
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	clear(counted.Calls)
	estimate, err := a.Distiller.Estimate(t.Context(), daemonapi.DistillEstimateParams{Sessions: 100})
	if err != nil || len(estimate.Pending) != 30 || counted.Calls["Records RecordsOf"] != 2 {
		t.Errorf("%v: %+v with %v", err, estimate, counted.Calls)
	}
}

func TestAModelReplacesAModelsFactsAndNoPersonsStatement(t *testing.T) {
	const older, newer = "The export of guests joins on the account table.", "The export of guests joins on the session table."
	const sharper = "The guests' export never joins on the account table."
	const asked = "remember that the export of guests never joins the account table"
	const remembered = "the export of guests never joins the account table"
	a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		if !strings.Contains(q.Prompt, "look again") {
			return daemontest.Wrote("", [2]string{older, "joined on the account"})
		}
		relation := `{"text":%q,"kind":"note","quotes":["It joins on the session now"],"about":%q,"relation":%q}`
		reply, err := daemontest.Wrote("")
		facts := fmt.Sprintf(relation, newer, daemontest.ShownID(q, older), "supersedes") + "," + fmt.Sprintf(relation, sharper, daemontest.ShownID(q, remembered), "corrects")
		reply.Text = []byte(strings.Replace(string(reply.Text), `"facts":[]`, `"facts":[`+facts+`]`, 1))
		return reply, err
	})
	live(t, a, s, daemontest.Ended("s1", asked, "why is the export of guests empty?")...)
	live(t, a, s, anHourLater(daemontest.Ended("s2", "look again at the export of guests and the account table"))...)
	row := func(content string) memory.Row {
		t.Helper()
		rows, err := a.Store.Rows(t.Context(), memory.WithIDs{memory.NewID(memory.ScopeProject, "p", content)})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%q: %v, %+v", content, err, rows)
		}
		return rows[0]
	}
	musttest.Same(t, row(newer).Memory.ID, row(older).SupersededBy, "the model's fact is superseded by (-want +got)")
	stated := row(remembered)
	if stated.SupersededBy != "" || stated.Memory.Content != remembered || stated.Memory.Status != memory.StatusActive {
		t.Errorf("the user's statement is %+v", stated)
	}
	if from := row(sharper).DerivedFrom; !slices.Contains(from, stated.Memory.ID) {
		t.Errorf("the sharper fact is derived from %q", from)
	}
	runs, err := a.Store.Runs(t.Context(), memory.RunQuery{Limit: 10})
	at := slices.IndexFunc(runs, func(r memory.Run) bool {
		return r.Job == "distill" && r.Changed == 1 && r.Actions == nil && r.TokensFreed == 0
	})
	if err != nil || at < 0 {
		t.Fatalf("%v: %+v", err, runs)
	}
	musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: runs[at].ID, Trigger: "manual"}))(t)
	musttest.Same(t, "", row(older).SupersededBy, "after the undo it is superseded by (-want +got)")
}

// One fact supersedes several of a model's facts, also if it only confirms another; memories that a person asked to keep stay.
func TestAFactEndsSeveralOfAModelsFacts(t *testing.T) {
	const tests, todo, state = "Three tests of the export fail on main.", "The export is to be joined on the session.", "The export joins on the account."
	const fixed = "The export of guests joins on the session table."
	const remembered = "the export of guests never joins the account table"
	for name, relation := range map[string]string{"new": "", "confirming": "confirms"} {
		t.Run(name, func(t *testing.T) {
			a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
				if !strings.Contains(q.Prompt, "look again") {
					return daemontest.Wrote("", [2]string{tests, "joined on the account"}, [2]string{todo, "joined on the account"}, [2]string{state, "joined on the account"})
				}
				about := ""
				if relation != "" {
					about = daemontest.ShownID(q, state)
				}
				ends := fmt.Sprintf("[%q,%q,%q]", daemontest.ShownID(q, tests), daemontest.ShownID(q, todo), daemontest.ShownID(q, remembered))
				fact := fmt.Sprintf(`{"text":%q,"kind":"note","quotes":["It joins on the session now"],"about":%q,"relation":%q,"ends":%s}`, fixed, about, relation, ends)
				reply, err := daemontest.Wrote("")
				reply.Text = []byte(strings.Replace(string(reply.Text), `"facts":[]`, `"facts":[`+fact+`]`, 1))
				return reply, err
			})
			live(t, a, s, daemontest.Ended("s1", "remember that "+remembered, "why is the export of guests empty?")...)
			live(t, a, s, anHourLater(daemontest.Ended("s2", "look again at the export of guests and the account table"))...)
			by := memory.NewID(memory.ScopeProject, "p", fixed)
			if relation != "" {
				by = memory.NewID(memory.ScopeProject, "p", state)
			}
			for content, want := range map[string]string{tests: by, todo: by, state: "", remembered: ""} {
				rows, err := a.Store.Rows(t.Context(), memory.WithIDs{memory.NewID(memory.ScopeProject, "p", content)})
				if err != nil || len(rows) != 1 || rows[0].SupersededBy != want {
					t.Errorf("%q: %v, %+v; it should be superseded by %q", content, err, rows, want)
				}
			}
		})
	}
}

// A start lists each fact of a model in one line, in quotation marks; get_memories has the words
// that it rests on, also of a session.
func TestAStartListsAModelsFactsInOneLineEach(t *testing.T) {
	const fact = "Export queries must not join on the account: guests have none."
	a, _, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		return daemontest.Wrote("guests have no account", [2]string{fact, rule})
	})
	a.Counter = daemontest.ExactCounter(t)
	session := "0123abcd-0000-4000-8000-000000000001"
	live(t, a, s, daemontest.Ended(session, rule)...)
	start := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s9", Source: "startup", TokenBudget: 800}))(t)
	factID := memory.ShortID(memory.NewID(memory.ScopeProject, "p", fact))
	for _, want := range []string{
		"\n- " + factID[:4] + " “" + fact + "”\n",
		"- “2026-11-20 12:00 UTC [0123abcd, ", " tokens, written by a model]: An export for guests; learned: guests have no account.”\n",
	} {
		if strings.Count(start.Text, want) != 1 {
			t.Errorf("%q stands %d times in\n%s", want, strings.Count(start.Text, want), start.Text)
		}
	}
	got, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "p", IDs: []string{factID, "0123abcd-000", "0123", "ffffffff"}})
	if err != nil || len(got.Memories) != 2 || got.Memories[0].Detail != `"`+rule+`"` || got.Memories[1].ID != session || !strings.Contains(got.Memories[1].Detail, "learned: guests have no account\n") {
		t.Errorf("%v: got %+v", err, got)
	}
	if got, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "another", IDs: []string{"0123abcd-000"}}); err != nil || len(got.Memories) != 0 {
		t.Errorf("another project gets %+v (%v)", got, err)
	}
}

// A model is not asked about a turn that the user took back.
func TestAModelIsNotAskedAboutWhatWasTakenBack(t *testing.T) {
	const fridays = "we deploy on Fridays"
	a, model, s := distilling(t, func(distill.Question) (distill.Reply, error) { return daemontest.Wrote("") })
	events := daemontest.Ended("s1", rule, fridays, "we deploy on Mondays")
	line := func(id, after, text string, at time.Time) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%q,"sessionId":"s1","cwd":"/p","timestamp":%q,"message":{"content":%q}}`+"\n", id, after, at.Format(time.RFC3339), text)
	}
	last := &events[len(events)-1]
	last.Transcript = filepath.Join(t.TempDir(), "s1.jsonl")
	text := line("a", "", rule, events[0].At) + line("b", "a", fridays, events[3].At) + line("c", "a", "we deploy on Mondays", events[6].At)
	musttest.Do(t, os.WriteFile(last.Transcript, []byte(text), 0o600))
	daemontest.Ingested(t, a, events...)
	a.Intake.TakeBack(t.Context())
	live(t, a, s)
	if len(model.Asked) != 1 || !strings.Contains(model.Asked[0], "Mondays") || !strings.Contains(model.Asked[0], rule) || strings.Contains(model.Asked[0], "Fridays") || strings.Contains(model.Asked[0], "in place 1") {
		t.Errorf("asked\n%s", strings.Join(model.Asked, "\n"))
	}
}
