package consolidate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
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
	plan.repeats(t)

	var y *year
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(yearBegins))
		y = newYear(t, counter, plan)
		y.live(t)
	})
	y.check(t)
}

// repeats checks that the plan states what it is to repeat in two sessions, because the plan changes with each draw.
func (p yearPlan) repeats(t *testing.T) {
	t.Helper()
	sessions := map[string]map[string]bool{} // by what they state
	for _, s := range p.sessions {
		for _, e := range slices.Concat(s.batches...) {
			if sessions[e.Text] == nil {
				sessions[e.Text] = map[string]bool{}
			}
			sessions[e.Text][s.id] = true
		}
	}
	i := slices.IndexFunc(p.groups, func(g group) bool { return g.name == "repeated in the same words" })
	for _, m := range p.groups[i].members {
		if text := m.mentions[0].text; len(sessions[text]) != 2 {
			t.Errorf("%q is stated in the sessions %v, want two", text, sessions[text])
		}
	}
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
	y := &year{store: surrealtest.Empty(t), counter: counter, config: config.Default().Maintenance, plan: plan, learned: map[string]bool{}, ran: map[string]int{}}
	limits := policy.UsualLimits()
	limits.ProjectBudget, limits.UserBudget = yearProjectBudget, yearUserBudget
	y.runner = &consolidate.Runner{Store: y.store, Counter: counter, Limits: limits, Now: time.Now, CloseAfter: y.config.CloseAfter, Lease: y.config.Lease}
	return y
}

// live lets the year pass: jobs by their cron expression, and sessions when they happen.
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

// uses are memories that the session was shown and then touched: only active memories can have been shown.
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

// outcomes is the state at the end of the year.
type outcomes struct {
	rows map[string]memory.Row
}

// plant decides which memories are planted, with their expected outcome.
func (p *planner) plant(t *testing.T) {
	const week = 7 * 24 * time.Hour
	for _, often := range []struct {
		name  string
		every time.Duration
	}{{"used weekly", week}, {"used fortnightly", 2 * week}, {"used monthly", 4 * week}} {
		p.group(often.name, stays, p.remarks(9, day(10, 1), func(i int, m *planted) {
			m.every = often.every
			if i%3 == 0 {
				m.mentions[0].kind = memory.KindConvention
			}
		}))
	}
	p.group("used once, not asserted", whatever, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.every, m.once = week, true }))
	p.group("never used", goes, p.remarks(24, day(8, 20), func(int, *planted) {}))
	p.group("never used, written by the user", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].byUser = true }))
	p.group("never used, decisions", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].kind = memory.KindDecision }))
	p.group("never used, open todos", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].kind = memory.KindTodo }))
	p.group("repeated in the same words", oneRow, p.remarks(9, day(10, 1), func(i int, m *planted) {
		again := m.mentions[0]
		again.at = again.at.AddDate(0, 0, 4+i)
		m.mentions = append(m.mentions, again)
	}))
	p.labelled(t)
	p.group("preferences stated in two projects, used", promoted, p.inTwoProjects(preferences, memory.KindPreference, 2*week))
	p.group("preferences stated once, never used", goes, p.passing(40))
	p.group("conventions stated in two projects, used", promoted, p.inTwoProjects(conventions, memory.KindConvention, week))
	p.group("conventions stated in two projects, never used", notPromoted, p.inTwoProjects(unusedConventions, memory.KindConvention, 0))
}

func (p *planner) group(name string, outcome func(outcomes, planted) (string, bool), members []planted) {
	p.groups = append(p.groups, group{name, members, outcome})
}

// some day from the middle of January on, before a day.
func (p *planner) before(last time.Time) time.Time {
	first := day(1, 12)
	return first.AddDate(0, 0, p.rng.IntN(int(last.Sub(first).Hours()/24)))
}

// remarks are facts that the model notes, each about a file of its own.
func (p *planner) remarks(n int, last time.Time, change func(i int, m *planted)) []planted {
	c := &script{planner: p}
	var members []planted
	for i := range n {
		p.number++
		project := yearProjects[i%len(yearProjects)]
		c.s.project = project
		text, file := c.remark()
		own := fmt.Sprintf("cmd/%s/main%02d.go", project, p.number)
		m := planted{mentions: []mention{{p.before(last), project, memory.KindNote, strings.ReplaceAll(text, file, own), false}}, file: own}
		change(i, &m)
		members = append(members, m)
	}
	return members
}

// labelled plants the labelled pairs. Pairs with texts that resemble other planted texts of the same
// project go to another project, or are left out. Of duplicates only those that are recognised are
// planted: TestNearDuplicates of package statement measures their share. All others are planted.
func (p *planner) labelled(t *testing.T) {
	there := map[string][]string{}
	pairs := map[string][]planted{}
	for _, pair := range labelledPairs(t) {
		isDuplicate := pair.Label == "duplicate"
		if pair.Category == "unrelated" || isDuplicate && !statement.Parse(pair.A).Same(statement.Parse(pair.B)) {
			continue
		}
		n := len(pairs[pair.Label])
		for try := range yearProjects {
			project := yearProjects[(n+try)%len(yearProjects)]
			if resembles(there[project], pair) {
				continue
			}
			there[project] = append(there[project], pair.A, pair.B)
			first := mention{p.before(day(11, 20)), project, memory.KindNote, pair.A, false}
			second := mention{first.at.AddDate(0, 0, 1+n%9), project, memory.KindNote, pair.B, false}
			pairs[pair.Label] = append(pairs[pair.Label], planted{mentions: []mention{first, second}})
			break
		}
	}
	p.group("labelled duplicates", merged, pairs["duplicate"])
	p.group("labelled pairs of other values", apart, pairs["update"])
	p.group("labelled distinct pairs that look alike", apart, pairs["distinct"])
}

func resembles(texts []string, pair labelled) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return statement.Parse(text).Same(statement.Parse(pair.A)) || statement.Parse(text).Same(statement.Parse(pair.B))
	})
}

var (
	preferences = []string{
		"small commits with a reason in the message", "tables over prose in reviews", "German in chat and English in code",
		"errors wrapped with what was being done", "no emojis anywhere", "tests before the change that they check",
	}
	conventions = []string{
		"every exported name has a comment that says its units", "migrations are never edited once they are merged",
		"feature flags are removed within two releases", "a log line names the tenant it is about",
	}
	unusedConventions = []string{"abbreviations are spelt out in package names", "shell scripts are checked by shellcheck before a merge", "diagrams are kept as text beside the code"}
)

func (p *planner) inTwoProjects(texts []string, kind memory.Kind, every time.Duration) []planted {
	var members []planted
	byUser := kind == memory.KindPreference
	for i, text := range texts {
		at := p.before(day(9, 1))
		members = append(members, planted{
			mentions: []mention{{at, yearProjects[i%3], kind, text, byUser}, {at.AddDate(0, 0, 4), yearProjects[(i+1)%3], kind, text, byUser}},
			every:    every, file: fmt.Sprintf("docs/%s-%d.md", kind, i),
		})
	}
	return members
}

// passing are preferences that nobody comes back to.
func (p *planner) passing(n int) []planted {
	var members []planted
	for i := range n {
		text := fmt.Sprintf("the %s shown before the %s %s", pick(p, parts), pick(p, parts), pick(p, times))
		at := p.before(day(8, 20))
		members = append(members, planted{mentions: []mention{{at, yearProjects[i%3], memory.KindPreference, text, false}}})
	}
	return members
}

func (o outcomes) row(l mention) memory.Row { return o.rows[l.id()] }

func whatever(o outcomes, p planted) (string, bool) {
	return string(o.row(p.mentions[0]).Memory.Status), true
}

func stays(o outcomes, p planted) (string, bool) {
	row := o.row(p.mentions[0])
	return string(row.Memory.Status), row.Memory.Status == memory.StatusActive
}

func goes(o outcomes, p planted) (string, bool) {
	status := o.row(p.mentions[0]).Memory.Status
	return string(status), status == memory.StatusArchived
}

func oneRow(o outcomes, p planted) (string, bool) {
	row := o.row(p.mentions[0])
	if p.mentions[0].id() != p.mentions[1].id() || row.Sessions != 2 || row.MergedInto != "" {
		return fmt.Sprintf("seen in %d sessions, merged into %q", row.Sessions, row.MergedInto), false
	}
	return "one row seen in two sessions", true
}

// merged wants one of two merged into the other, which is not merged itself, or one row if both are one sentence (see memory.NewID).
func merged(o outcomes, p planted) (string, bool) {
	if p.mentions[0].id() == p.mentions[1].id() {
		return oneRow(o, p)
	}
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	switch {
	case a.MergedInto == b.Memory.ID && b.MergedInto == "" && a.Memory.Status == memory.StatusConsolidated:
		return "the first merged into the second", true
	case b.MergedInto == a.Memory.ID && a.MergedInto == "" && b.Memory.Status == memory.StatusConsolidated:
		return "the second merged into the first", true
	case a.SupersededBy == "" && b.SupersededBy == "" && a.MergedInto == "" && b.MergedInto == "":
		return "left apart", false
	}
	return "otherwise", false
}

func apart(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	switch {
	case a.Memory.ID == "" || b.Memory.ID == "":
		return "gone", false
	case a.MergedInto != "" || b.MergedInto != "":
		return "merged", false
	case a.SupersededBy != "" || b.SupersededBy != "":
		return "superseded", false
	}
	return "both stayed", true
}

func promoted(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	if a.MergedInto != "" {
		a, b = b, a
	}
	state := fmt.Sprintf("%s, scope %s, the other %s", a.Memory.Status, a.Memory.Scope, b.Memory.Status)
	return state, a.Memory.Scope == memory.ScopeUser && a.Memory.Status == memory.StatusActive && b.MergedInto == a.Memory.ID
}

func notPromoted(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	state := fmt.Sprintf("scopes %s and %s, %s", a.Memory.Scope, b.Memory.Scope, a.Memory.Status)
	return state, a.Memory.Scope == memory.ScopeProject && b.Memory.Scope == memory.ScopeProject
}

// The projects of the year. The last one pauses.
var yearProjects = []string{"gateway", "shop", "etl"}

const (
	pausing   = "etl"
	filesEach = 40 // of a project
)

var (
	holiday = [2]time.Time{day(8, 3), day(8, 17)}
	pause   = [2]time.Time{day(3, 2), day(6, 1)}
)

func day(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, time.UTC) }

// yearPlan is the plan of the year, drawn from one seed, whatever the consolidator does.
type yearPlan struct {
	sessions []plannedSession
	groups   []group
}

type plannedSession struct {
	id, project string
	at          time.Time
	batches     [][]memory.Event // each is ingested at the time of its last event
	// uses are memories that the session was given, if they were in sight, and then touched.
	uses []string
}

// mention is one statement of a text that somebody wants to keep.
type mention struct {
	at      time.Time // the project's next session after that states it
	project string
	kind    memory.Kind
	text    string
	byUser  bool
}

// id of the memory that the mention becomes.
func (l mention) id() string { return memory.NewID(memory.ScopeProject, l.project, l.text) }

// planted is a memory with a known outcome. If it is used at all, then a week after its first
// mention, and later at twice the interval each time, up to every.
type planted struct {
	mentions []mention
	every    time.Duration // 0: never
	once     bool
	file     string // that it is about
	nextUse  time.Time
	interval time.Duration
}

// group is the memories planted for one reason.
type group struct {
	name    string
	members []planted
	// outcome describes the final state of a member, and whether it is right.
	outcome func(o outcomes, p planted) (string, bool)
}

type planner struct {
	rng     *rand.Rand
	groups  []group
	waiting map[string][]mention // by project, in the order of time
	number  int
	notes   map[string][]note // notes of the background by file
}

// note is a memory of the background with the file it is about.
type note struct{ id, file string }

func planYear(t *testing.T) yearPlan {
	t.Helper()
	p := &planner{rng: rand.New(rand.NewPCG(yearSeed, yearSeed)), waiting: map[string][]mention{}, notes: map[string][]note{}}
	p.plant(t)
	for i := range p.groups {
		for _, m := range p.groups[i].members {
			for _, l := range m.mentions {
				p.waiting[l.project] = append(p.waiting[l.project], l)
			}
		}
	}
	for _, project := range yearProjects {
		slices.SortStableFunc(p.waiting[project], func(a, b mention) int { return a.at.Compare(b.at) })
	}
	plan := yearPlan{groups: p.groups}
	for at := yearBegins; at.Before(yearEnds); at = at.AddDate(0, 0, 1) {
		off := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday || within(at, holiday)
		if off || at.Year() != yearBegins.Year() {
			continue
		}
		for i := range sessionsADay { // from Monday to Friday
			start := at.Add(8*time.Hour + time.Duration(i)*75*time.Minute + time.Duration(p.rng.IntN(15*60))*time.Second)
			plan.sessions = append(plan.sessions, p.session(start))
		}
	}
	for project, left := range p.waiting {
		if len(left) > 0 {
			t.Errorf("%d texts of %s were never stated", len(left), project)
		}
	}
	return plan
}

func within(at time.Time, span [2]time.Time) bool { return !at.Before(span[0]) && at.Before(span[1]) }

func pick[T any](p *planner, from []T) T { return from[p.rng.IntN(len(from))] }

func (p *planner) chance(probability float64) bool { return p.rng.Float64() < probability }

func (p *planner) project(at time.Time) string {
	r := p.rng.Float64()
	switch {
	case within(at, pause):
		if r < 0.55 {
			return yearProjects[0]
		}
		return yearProjects[1]
	case r < 0.4:
		return yearProjects[0]
	case r < 0.7:
		return yearProjects[1]
	}
	return yearProjects[2]
}

// script writes the events of a session.
type script struct {
	*planner
	s       plannedSession
	now     time.Time
	events  []memory.Event
	touched map[string]bool
}

func (p *planner) session(at time.Time) plannedSession {
	p.number++
	c := &script{planner: p, now: at, touched: map[string]bool{}}
	c.s = plannedSession{id: fmt.Sprintf("session-%04d", p.number), project: p.project(at), at: at}
	c.happen(memory.Event{Kind: memory.EventSessionStarted, Source: "startup"})
	c.happen(memory.Event{Kind: memory.EventPrompt, Prompt: pick(p, yearAsked) + " " + c.file()})
	c.work()
	c.batch()
	c.mention()
	c.use()
	c.batch()
	if p.chance(0.97) { // else the client is killed
		c.happen(memory.Event{Kind: memory.EventSessionEnded, Reason: "exit"})
		c.batch()
	}
	return c.s
}

// happen adds an event, a while after the one before. The half second keeps it apart from whatever the clock starts.
func (c *script) happen(e memory.Event) {
	c.now = c.now.Add(time.Duration(10+c.rng.IntN(80)) * time.Second)
	e.ID = fmt.Sprintf("%s-%04d", c.s.id, len(c.events)+100*len(c.s.batches))
	e.At, e.Session = c.now.Add(500*time.Millisecond), c.s.id
	e.Project = memory.Project{Key: c.s.project, Name: c.s.project, Root: "/src/" + c.s.project}
	c.events = append(c.events, e)
}

func (c *script) batch() {
	if len(c.events) > 0 {
		c.s.batches = append(c.s.batches, c.events)
		c.events = nil
	}
}

func (c *script) file() string { return yearFileOf(c.s.project, c.rng.IntN(filesEach)) }

func yearFileOf(project string, n int) string {
	return fmt.Sprintf("internal/%s/%s.go", project, parts[n%len(parts)])
}

func (c *script) edit(file string) {
	c.touched[file] = true
	c.happen(memory.Event{
		Kind: memory.EventFileChanged, Tool: "Edit", File: file,
		Before: fmt.Sprintf("return %s(%d)", pick(c.planner, parts), c.rng.IntN(1000)),
		After:  fmt.Sprintf("return %s(ctx, %d)", pick(c.planner, parts), c.rng.IntN(1000)),
	})
}

// work is most of a session: edits, yearCommands, and failures, most of which get fixed.
func (c *script) work() {
	for range 1 + c.rng.IntN(3) {
		c.edit(c.file())
	}
	group := togetherIn(c.s.project)
	switch r := c.rng.Float64(); {
	case r < 0.2:
		for _, file := range group {
			c.edit(file)
		}
	case r < 0.23:
		c.edit(pick(c.planner, group))
	}
	if c.chance(0.12) {
		c.fail(failingIn(c.s.project), pick(c.planner, []string{"2.1 s", "3 s", "4.8 s"}), fixedIn(c.s.project), 0.6)
	}
	for range 1 + c.rng.IntN(2) {
		command := pick(c.planner, yearCommands)
		if c.chance(0.3) {
			c.fail(command, fmt.Sprintf("%s.go:%d", pick(c.planner, parts), c.rng.IntN(400)), c.file(), 0.8)
			continue
		}
		c.happen(memory.Event{Kind: memory.EventCommandSucceeded, Command: command, Output: "ok"})
	}
}

func (c *script) fail(command, where, file string, mended float64) {
	c.happen(memory.Event{Kind: memory.EventCommandFailed, Command: command, Error: fmt.Sprintf("Exit code 1\nerror: %s (%s)", pick(c.planner, errorsSeen), where)})
	if c.chance(mended) {
		c.edit(file)
		c.happen(memory.Event{Kind: memory.EventCommandSucceeded, Command: command, Output: "ok"})
	}
}

// mention has the session state the texts planted for it, up to four, and some of the usual kinds. A text that waits twice
// after a pause is repeated by a later session, because what one session states twice was seen once.
func (c *script) mention() {
	stated := map[string]bool{}
	for range 4 {
		waiting := c.waiting[c.s.project]
		if len(waiting) == 0 || waiting[0].at.After(c.s.at) || stated[waiting[0].id()] {
			break
		}
		stated[waiting[0].id()] = true
		c.send(waiting[0])
		c.waiting[c.s.project] = waiting[1:]
	}
	for _, usual := range []struct {
		kind   memory.Kind
		chance float64
		byUser bool
	}{
		{memory.KindNote, 0.7, false},
		{memory.KindNote, 0.04, true},
		{memory.KindDecision, 0.05, false},
		{memory.KindConvention, 0.05, false},
		{memory.KindTodo, 0.04, false},
	} {
		if c.chance(usual.chance) {
			text, file := c.remark()
			l := mention{project: c.s.project, kind: usual.kind, text: text, byUser: usual.byUser}
			c.send(l)
			c.notes[file] = append(c.notes[file], note{l.id(), file})
		}
	}
}

func (c *script) send(l mention) {
	if l.byUser {
		c.happen(memory.Event{Kind: memory.EventPrompt, Prompt: directiveFor[l.kind] + l.text})
		return
	}
	c.happen(memory.Event{Kind: memory.EventRemembered, RememberedKind: l.kind, Text: l.text})
}

var directiveFor = map[memory.Kind]string{
	memory.KindNote: "Remember that ", memory.KindTodo: "Todo: ", memory.KindConvention: "Convention: ",
	memory.KindDecision: "Decision: ", memory.KindPreference: "Preference: ",
}

// remark is something a session finds out, about a file.
func (c *script) remark() (text, file string) {
	file = c.file()
	return fmt.Sprintf("the %s %s %s %s, %s (%s)", pick(c.planner, parts), pick(c.planner, verbs), pick(c.planner, parts), pick(c.planner, times), pick(c.planner, reasons), file), file
}

// use touches the files of planted facts that are due for use, and now and then a file of the background.
func (c *script) use() {
	for i := range c.groups {
		for j := range c.groups[i].members {
			m := &c.groups[i].members[j]
			if m.every == 0 || !c.usable(m) {
				continue
			}
			const week = 7 * 24 * time.Hour
			if m.nextUse.IsZero() {
				m.nextUse, m.interval = m.mentions[0].at.Add(week), week
			}
			if c.s.at.Before(m.nextUse) {
				continue
			}
			m.interval = min(2*m.interval, m.every)
			m.nextUse = c.s.at.Add(m.interval)
			if m.once {
				m.every = 0
			}
			c.edit(m.file)
			for _, l := range m.mentions {
				if !slices.Contains(c.s.uses, l.id()) {
					c.s.uses = append(c.s.uses, l.id())
				}
			}
		}
	}
	for _, file := range sortedKeys(c.touched) {
		for _, n := range c.notes[file] {
			if c.chance(0.1) && !slices.Contains(c.s.uses, n.id) {
				c.s.uses = append(c.s.uses, n.id)
			}
		}
	}
}

// usable reports whether the memory was stated in the session's project before.
func (c *script) usable(m *planted) bool {
	return slices.ContainsFunc(m.mentions, func(l mention) bool { return l.project == c.s.project && l.at.Before(c.s.at) })
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func togetherIn(project string) []string {
	return []string{"api/" + project + ".proto", "internal/" + project + "/generated.go", "schema/" + project + ".sql"}
}

func failingIn(project string) string { return "make e2e-" + project }
func fixedIn(project string) string   { return "deploy/" + project + ".env" }

var (
	yearAsked    = []string{"look into", "clean up", "why is this slow:", "add a test for", "finish", "review", "make it configurable:"}
	yearCommands = []string{"go test ./...", "go build ./...", "make lint", "make check", "go vet ./...", "make generate"}
	errorsSeen   = []string{
		"cannot use value as type string in argument", "undefined: newClient", "connection refused", "timeout waiting for the container",
		"expected status 200, got 500", "index out of range", "missing return", "context deadline exceeded",
	}
	parts = []string{
		"router", "session", "invoice", "ledger", "cart", "parser", "scheduler", "mailer", "cache", "queue", "tenant", "token", "webhook",
		"report", "search", "catalog", "payment", "shipment", "metric", "tracer", "loader", "mapper", "writer", "reader", "digest", "batch",
		"cursor", "retry", "limiter", "flag", "proxy", "signer", "vault", "audit", "export", "import", "snapshot", "replica", "shard", "worker",
	}
	verbs = []string{
		"waits for the", "locks the", "copies the", "drops the", "reloads the", "duplicates the", "leaks the", "skips the", "owns the",
		"flushes the", "rejects the", "wraps the", "polls the", "preloads the",
	}
	times = []string{
		"at startup", "under load", "after a deploy", "when the disk is full", "on every request", "while it migrates", "during a failover",
		"once the lease ends", "before the first read", "if the region changes",
	}
	reasons = []string{
		"which costs a round trip", "which surprised the reviewers", "since the upstream changed its contract", "as the benchmark showed",
		"which the old client relied on", "so tests need a fake clock", "which nobody had documented", "because the driver buffers rows",
		"so the order of shutdown matters", "as the incident review found",
	}
)

// labelled is a pair of testdata/near-duplicates.
type labelled struct {
	A        string `json:"a"`
	B        string `json:"b"`
	Label    string `json:"label"`
	Category string `json:"category"`
	Half     string `json:"half"`
}

// labelledPairs are those of the half that may be looked at.
func labelledPairs(t *testing.T) []labelled {
	t.Helper()
	file := musttest.Get(os.Open("../../testdata/near-duplicates/pairs.jsonl"))(t)
	defer func() { _ = file.Close() }()
	var pairs []labelled
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var l labelled
		musttest.Do(t, json.Unmarshal(scanner.Bytes(), &l))
		if l.Half == "tuning" {
			pairs = append(pairs, l)
		}
	}
	return pairs
}
