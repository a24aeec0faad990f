package consolidate_test

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

var yearMonths = flag.Int("year.months", 0, "how many months TestAYear lives, at least one; make chaos lives all twelve")

const (
	// yearSeed makes every year the same one.
	yearSeed = 4
	// The budgets of the year, in tokens. A year does not fill the default of 200,000 in one project:
	// with these, budgets decide as well as decay.
	yearProjectBudget = 5_000
	yearUserBudget    = 200
)

// sessionsADay makes 40 sessions a week.
const sessionsADay = 8

var (
	yearBegins = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	// The last jobs have run by then.
	yearEnds = time.Date(2027, 1, 1, 6, 0, 0, 0, time.UTC)
)

// lifeEnds is yearEnds for the months that are lived.
func lifeEnds() time.Time { return yearEnds.AddDate(0, *yearMonths-12, 0) }

func isWholeYear() bool { return *yearMonths == 12 }

// TestAYear lives a year with the consolidator: 40 sessions a week in three
// projects, one of which pauses for three months, a holiday of two weeks, and the
// jobs on their default schedules. After twelve months each planted memory must have come to its expected end.
func TestAYear(t *testing.T) {
	if *yearMonths == 0 {
		t.Skip("a month takes a minute: make chaos lives a year, go test ./pkg/consolidate -run TestAYear -year.months 1 a month")
	}
	counter := tokens.New()
	counter.Count("load the tables outside the bubble")
	// Collecting the garbage of a year would cost half of the time.
	t.Cleanup(func() { debug.SetGCPercent(100) })
	debug.SetGCPercent(400)
	plan := planYear(t)

	var y *year
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(yearBegins))
		y = newYear(t, counter, plan)
		y.live(t)
	})
	y.check(t)
}

// year is a store with the events of the year.
type year struct {
	store   *surrealtest.Store
	counter memory.TokenCounter
	config  config.Maintenance
	runner  *consolidate.Runner
	plan    yearPlan
	learned map[string]bool // ids of all that was ingested

	mu      sync.Mutex // jobs run beside the sessions
	failed  []error
	ran     map[string]int // runs by job
	forRoom int
}

func newYear(t *testing.T, counter memory.TokenCounter, plan yearPlan) *year {
	y := &year{
		store: surrealtest.Empty(t), counter: counter, config: config.Default().Maintenance, plan: plan,
		learned: map[string]bool{}, ran: map[string]int{},
	}
	limits := policy.UsualLimits()
	limits.ProjectBudget, limits.UserBudget = yearProjectBudget, yearUserBudget
	y.runner = &consolidate.Runner{
		Store: y.store, Counter: counter, Limits: limits, Now: time.Now,
		CloseAfter: y.config.CloseAfter, Lease: y.config.Lease,
	}
	return y
}

// live lets the year pass: jobs by their cron expression, and sessions when they
// happen.
func (y *year) live(t *testing.T) {
	daily := cron.New(cron.WithLocation(time.UTC), cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	musttest.Get(daily.AddFunc(schedule.Daily, func() {
		for _, job := range schedule.JobNames() {
			y.due(t.Context(), job)
		}
	}))(t)
	daily.Start()
	for _, s := range y.plan.sessions {
		if s.at.After(lifeEnds()) {
			break
		}
		musttest.Do(t, y.session(t.Context(), s))
	}
	time.Sleep(time.Until(lifeEnds()))
	<-daily.Stop().Done()
}

// due runs a job for the slot that has just come, as late as the daemon may.
func (y *year) due(ctx context.Context, job string) {
	slot := time.Now().Truncate(time.Minute)
	time.Sleep(time.Duration(slot.Unix()/60*7919%60) * time.Second)
	run, err := y.runner.Run(ctx, consolidate.Request{Job: job, Trigger: "cron", Slot: slot})
	y.mu.Lock()
	defer y.mu.Unlock()
	if err != nil {
		y.failed = append(y.failed, fmt.Errorf("%s at %s: %w", job, slot, err))
		return
	}
	y.ran[job]++
	for _, a := range run.Actions {
		if a.Kind == "archive" && strings.Contains(a.Reason, "its budget is") {
			y.forRoom++
		}
	}
}

// session puts a session into the store the way the daemon does: in batches, with
// the uses that its events prove, with its fixes, and at its end with a summary.
func (y *year) session(ctx context.Context, s plannedSession) error {
	for _, events := range s.batches {
		time.Sleep(time.Until(events[len(events)-1].At))
		if err := y.ingest(ctx, s, events); err != nil {
			return err
		}
	}
	return nil
}

func (y *year) ingest(ctx context.Context, s plannedSession, events []memory.Event) error {
	batch := ingest.Batch(events)
	uses, err := y.uses(ctx, s, events)
	if err != nil {
		return err
	}
	batch.Uses = uses
	for _, m := range batch.Memories {
		y.learned[m.ID] = true
	}
	if err := y.store.Ingest(ctx, batch); err != nil {
		return err
	}
	record, err := memory.RecordOf(ctx, y.store, s.id)
	if err != nil {
		return err
	}
	concluded := ingest.Conclude([]memory.SessionRecord{record}, y.counter)
	for _, m := range concluded.Memories {
		y.learned[m.ID] = true
	}
	return y.store.Ingest(ctx, concluded)
}

// uses are memories that the session was shown and then touched: only active memories can have
// been shown.
func (y *year) uses(ctx context.Context, s plannedSession, events []memory.Event) ([]memory.Use, error) {
	rows, err := y.store.Rows(ctx, memory.WithIDs(s.uses))
	if err != nil {
		return nil, err
	}
	var uses []memory.Use
	for _, row := range rows {
		isOwn := row.Memory.Session == s.id // stated by the session itself
		isOfProject := row.Memory.Project == s.project || row.Memory.Project == ""
		if !isOwn && isOfProject && row.Memory.Status == memory.StatusActive {
			uses = append(uses, memory.Use{Memory: row.Memory.ID, Session: s.id, At: events[0].At})
		}
	}
	return uses, nil
}

// check asserts what the year was lived for.
func (y *year) check(t *testing.T) {
	for _, err := range y.failed {
		t.Errorf("a job failed: %v", err)
	}
	slots := (int(lifeEnds().Sub(yearBegins).Hours()) + 23) / 24
	for _, job := range schedule.JobNames() {
		if y.ran[job] != slots {
			t.Errorf("%s ran %d times, want once for each of its %d slots", job, y.ran[job], slots)
		}
	}
	for _, project := range append(slices.Clone(yearProjects), "") {
		y.checkBudgets(t, project)
	}
	if isWholeYear() && y.forRoom == 0 {
		t.Error("nothing was ever archived for room: the budgets do not matter")
	}
	rows := rowsOf(t, y.store)
	if want := len(y.learned); len(rows) != want {
		t.Errorf("%d rows, want the %d that were ingested", len(rows), want)
	}
	if !isWholeYear() {
		return // the planted memories come to their ends later
	}
	o := outcomes{rows}
	for _, g := range y.plan.groups {
		if len(g.members) == 0 {
			t.Errorf("%s: nothing was planted", g.name)
		}
		for _, m := range g.members {
			if state, right := g.outcome(o, m); !right {
				t.Errorf("%s: %s\n%s", g.name, state, m.describe(rows))
			}
		}
	}
}

// checkBudgets asserts that the active memories of a project, or of the user (""), are within their budgets.
func (y *year) checkBudgets(t *testing.T, project string) {
	t.Helper()
	budgets, tokens := map[memory.Scope]int{memory.ScopeProject: yearProjectBudget, memory.ScopeUser: yearUserBudget}, map[memory.Scope]int{}
	for _, row := range rowsOf(t, y.store) {
		if row.Memory.Project == project && row.Memory.Status == memory.StatusActive {
			tokens[row.Memory.Scope] += y.counter.Count(render.Line(row.Memory))
		}
	}
	for scope, budget := range budgets {
		if tokens[scope] > budget {
			t.Errorf("scope %s of %q ends with %d tokens in sight, its budget is %d", scope, project, tokens[scope], budget)
		}
	}
}

// describe shows the history of a planted member.
func (p planted) describe(rows map[string]memory.Row) string {
	var text strings.Builder
	for _, l := range p.mentions {
		row := rows[l.id()]
		fmt.Fprintf(&text, "  %s %s %s: %q\n    %s, %s of %q, seen %d times from %s to %s, %d uses, superseded by %q, merged into %q\n",
			l.at.Format(time.DateOnly), l.project, l.kind, l.text, row.Memory.Status, row.Memory.Scope, row.Memory.Project, row.Sessions,
			row.Memory.CreatedAt.Format(time.DateOnly), row.Memory.LastSeenAt.Format(time.DateOnly), row.Uses, row.SupersededBy, row.MergedInto)
	}
	return text.String()
}
