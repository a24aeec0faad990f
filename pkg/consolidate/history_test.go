package consolidate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// world is a store with a clock, and a Runner on both.
type world struct {
	store  storetest.Store
	clock  time.Time
	limits policy.Limits
	page   int
	events int
}

// newWorld draws budgets and pages that are soon full.
func newWorld(t *rapid.T) *world {
	w := &world{store: surrealtest.Empty(t), clock: noon, limits: policy.UsualLimits()}
	w.limits.ProjectBudget = rapid.SampledFrom([]int{20, 40, 200_000}).Draw(t, "project budget")
	w.limits.UserBudget = rapid.SampledFrom([]int{20, 50_000}).Draw(t, "user budget")
	w.page = rapid.SampledFrom([]int{2, 5, 0}).Draw(t, "page")
	return w
}

func (w *world) runner() *consolidate.Runner {
	return &consolidate.Runner{
		Store: w.store, Counter: wordCounter{}, Now: func() time.Time { return w.clock }, CloseAfter: 24 * time.Hour,
		Limits: w.limits, Page: w.page,
	}
}

func (w *world) run(t failer, job string) memory.Run {
	run, err := w.runner().Run(context.Background(), consolidate.Request{Job: job, Trigger: "manual"})
	if err != nil {
		t.Fatalf("%s: %v", job, err)
	}
	return run
}

// settle runs all jobs until a round of them changes nothing.
func (w *world) settle(t failer) {
	const enough = 12
	for range enough {
		changed := 0
		for _, job := range schedule.JobNames() {
			changed += w.run(t, job).Changed
		}
		if changed == 0 {
			return
		}
	}
	t.Fatalf("after %d rounds of all jobs there is still something to do", enough)
}

type failer interface {
	Fatalf(format string, args ...any)
}

// rowsOf are all rows of the store, by id.
func rowsOf(t failer, store storetest.Store) map[string]memory.Row {
	all, ctx := map[string]memory.Row{}, context.Background()
	for query := (memory.ChangeQuery{Limit: 1000}); ; {
		page, err := store.Changed(ctx, query)
		if err != nil {
			t.Fatalf("read all rows: %v", err)
		}
		ids := make([]string, 0, len(page.Rows))
		for _, row := range page.Rows {
			ids = append(ids, row.Memory.ID)
		}
		counted, err := store.Rows(ctx, memory.WithIDs(ids))
		if err != nil {
			t.Fatalf("read %d rows: %v", len(ids), err)
		}
		for _, row := range counted {
			all[row.Memory.ID] = row
		}
		if query.After = page.Cursor; page.Last {
			return all
		}
	}
}

// sampleTexts are texts of which many resemble others.
var sampleTexts = []string{
	"The API server listens on port 8080.", "The API server listens on port 9090.", "the api server listens on port 8080",
	"Never commit generated files to the repository.", "Commit generated files to the repository.",
	"The migrations live in db/migrations.", "The migrations live in internal/migrations.",
	"Run the linter before each commit.", "run the linter before each commit!",
	"Request timeout of the gateway is 30 seconds and it retries 3 times on a connection error.",
	"Request timeout of the gateway is 30 seconds, and it retries 3 times on a connection error!",
	"Request timeout of the gateway is 45 seconds and it retries 3 times on a connection error.",
	"alpha bravo charlie delta echo foxtrot", "alpha bravo charlie delta echo foxtrot golf", "alpha bravo charlie delta echo foxtrot golf hotel",
}

var (
	toldKinds = []memory.Kind{memory.KindNote, memory.KindNote, memory.KindDecision, memory.KindConvention, memory.KindTodo, memory.KindPreference, memory.KindDiscovery}
	commands  = []string{"go test ./...", "make build"}
	files     = []string{"a.go", "b.go", "c.go"}
)

// drawEvents draws the events of an hour, in sessions of two projects.
func (w *world) drawEvents(t *rapid.T) []memory.Event {
	var events []memory.Event
	for range rapid.IntRange(1, 12).Draw(t, "events") {
		events = append(events, w.drawEvent(t))
	}
	if rapid.Bool().Draw(t, "found") { // something to promote, once it is used
		command := rapid.SampledFrom(commands).Draw(t, "command")
		for _, project := range []string{"p", "q"} {
			e := w.event(project, project+"0")
			e.Kind, e.RememberedKind, e.Text = memory.EventRemembered, memory.KindConvention, command+needed
			events = append(events, e)
		}
	}
	if rapid.Bool().Draw(t, "said twice") { // something to merge
		for n := range 2 {
			e := w.event("p", fmt.Sprint("p", n))
			e.Kind, e.RememberedKind, e.Text = memory.EventRemembered, memory.KindNote, sampleTexts[7+n]
			events = append(events, e)
		}
	}
	return events
}

func (w *world) drawEvent(t *rapid.T) memory.Event {
	project := rapid.SampledFrom([]string{"p", "q"}).Draw(t, "project")
	e := w.event(project, fmt.Sprint(project, rapid.IntRange(0, 4).Draw(t, "session")))
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0, 1, 2, 3, 4:
		e.Kind, e.RememberedKind = memory.EventRemembered, rapid.SampledFrom(toldKinds).Draw(t, "kind")
		e.Text, e.ByUser = rapid.SampledFrom(sampleTexts).Draw(t, "text"), rapid.IntRange(0, 5).Draw(t, "by") == 0
	case 5:
		e.Kind, e.Command, e.Error = memory.EventCommandFailed, rapid.SampledFrom(commands).Draw(t, "command"), "Exit code 1\nboom error"
	case 6:
		e.Kind, e.Command = memory.EventCommandSucceeded, rapid.SampledFrom(commands).Draw(t, "command")
	case 7, 8:
		e.Kind, e.Tool, e.File = memory.EventFileChanged, "Edit", rapid.SampledFrom(files).Draw(t, "file")
		e.After = fmt.Sprint("version ", w.events)
	default:
		e.Kind = rapid.SampledFrom([]memory.EventKind{memory.EventSessionStarted, memory.EventSessionEnded}).Draw(t, "moment")
	}
	return e
}

// event is one a minute later.
func (w *world) event(project, session string) memory.Event {
	w.clock = w.clock.Add(time.Minute)
	w.events++
	return memory.Event{
		ID: fmt.Sprintf("%016x", w.clock.UnixNano()), At: w.clock, Session: session,
		Project: memory.Project{Key: project, Name: project, Root: "/" + project},
	}
}

func (w *world) ingest(t failer, events []memory.Event) {
	if err := w.store.Ingest(context.Background(), ingest.Batch(events)); err != nil {
		t.Fatalf("ingest: %v", err)
	}
}

// step lets something happen that is no maintenance.
func (w *world) step(t *rapid.T) {
	switch rapid.SampledFrom([]string{"events", "events", "use", "amend", "time", "time"}).Draw(t, "step") {
	case "events":
		w.ingest(t, w.drawEvents(t))
	case "use":
		w.use(t)
	case "amend":
		w.amend(t)
	case "time":
		w.pass(t)
	}
}

// pass lets days go by, on some of which something happens.
func (w *world) pass(t *rapid.T) {
	var active memory.Batch
	for range rapid.IntRange(1, 40).Draw(t, "days") {
		w.clock = w.clock.AddDate(0, 0, 1)
		if project := rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "active"); project != "" {
			active.Days = append(active.Days, memory.ActiveDay{Project: project, Day: w.clock.Format(time.DateOnly)})
		}
	}
	musttest.Do(t, w.store.Ingest(context.Background(), active))
}

// draw is one of the memories; false if there is none.
func (w *world) draw(t *rapid.T) (memory.Row, bool) {
	rows := rowsOf(t, w.store)
	if len(rows) == 0 {
		return memory.Row{}, false
	}
	return rows[rapid.SampledFrom(idsOf(rows)).Draw(t, "memory")], true
}

func idsOf(rows map[string]memory.Row) []string {
	ids := make([]string, 0, len(rows))
	for id := range rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// needed ends the texts of drawEvents that are to be promoted.
const needed = " needs redis"

func (w *world) use(t *rapid.T) {
	if row, any := w.draw(t); any {
		w.useRow(t, row)
	}
}

func (w *world) useRow(t *rapid.T, row memory.Row) {
	var uses []memory.Use
	for n := range rapid.IntRange(1, 6).Draw(t, "uses") {
		uses = append(uses, memory.Use{Memory: row.Memory.ID, Session: fmt.Sprint("used-", n), At: w.clock})
	}
	musttest.Do(t, w.store.Ingest(context.Background(), memory.Batch{Uses: uses}))
}

func (w *world) amend(t *rapid.T) {
	row, any := w.draw(t)
	if !any {
		return
	}
	w.clock = w.clock.Add(time.Minute)
	w.events++
	c := memory.Change{ID: fmt.Sprint("change-", w.events), At: w.clock, By: "test"}
	switch rapid.SampledFrom([]string{"status", "importance", "importance", "pinned", "scope", "content", "tags"}).Draw(t, "change") {
	case "status":
		c.Status = memory.StatusArchived
		if row.Memory.Status == memory.StatusArchived {
			c.Status = memory.StatusActive
		}
	case "importance":
		importance := rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.7, 1}).Draw(t, "importance")
		c.Importance = &importance
	case "pinned":
		pinned := !row.Memory.Pinned
		c.Pinned = &pinned
	case "scope":
		if row.Memory.Scope == memory.ScopeUser || row.Memory.Project == "" {
			return
		}
		c.Scope = memory.ScopeUser
	case "content":
		if !isInSight(row) {
			return
		}
		c.Content = rapid.SampledFrom(sampleTexts).Draw(t, "content")
	case "tags":
		c.AddTags = []string{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "tag")}
	}
	if _, _, err := w.store.Amend(context.Background(), row.Memory.ID, c); err != nil {
		t.Fatalf("change %+v: %v", c, err)
	}
}

// history is some life of a store, with maintenance in between. What happens late is left for the jobs of the test.
func history(t *rapid.T) *world {
	w := newWorld(t)
	for range rapid.IntRange(0, 5).Draw(t, "steps") {
		w.step(t)
		if rapid.IntRange(0, 3).Draw(t, "maintenance") == 0 {
			w.run(t, rapid.SampledFrom(schedule.JobNames()).Draw(t, "job"))
		}
	}
	w.ingest(t, w.drawEvents(t))
	rows := rowsOf(t, w.store)
	for _, id := range idsOf(rows) {
		if strings.HasSuffix(rows[id].Memory.Content, needed) {
			w.useRow(t, rows[id])
		}
	}
	w.pass(t)
	w.step(t)
	return w
}

func same(content string) string { return strings.ToLower(memory.Normalise(content)) }

func isInSight(row memory.Row) bool {
	return row.Memory.Status == memory.StatusActive
}
