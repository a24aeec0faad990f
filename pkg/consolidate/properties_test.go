package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

func TestEachJobRunTwiceInARowChangesNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	changed := map[string]int{}
	checkUntil(t, acted(changed, schedule.Close, schedule.Dedup, schedule.Promote, schedule.Prune), func(t *rapid.T) {
		w := history(t)
		for _, job := range rapid.Permutation(schedule.JobNames()).Draw(t, "jobs") {
			changed[job] += w.run(t, job).Changed
			before := rowsOf(t, w.store)
			again := w.run(t, job)
			if again.Changed > 0 || len(again.Actions) > 0 {
				t.Fatalf("%s again: %s", job, describe(again))
			}
			checkSame(t, job+" again", before, rowsOf(t, w.store))
		}
		w.settle(t)
		before := rowsOf(t, w.store)
		for _, job := range schedule.JobNames() {
			if again := w.run(t, job); len(again.Actions) > 0 {
				t.Fatalf("%s after all were done: %s", job, describe(again))
			}
		}
		checkSame(t, "all again", before, rowsOf(t, w.store))
	})
}

// checkUntil checks a law on few histories, and on more of them until those had what it is about.
func checkUntil(t *testing.T, isTested func() bool, law func(*rapid.T)) {
	t.Helper()
	for range 125 {
		if rapid.Check(t, law); isTested() {
			return
		}
	}
	t.Error("no history had what this is about: nothing was tested")
}

// acted reports whether each of the jobs has a number above 0.
func acted(number map[string]int, jobs ...string) func() bool {
	return func() bool { return !slices.ContainsFunc(jobs, func(job string) bool { return number[job] == 0 }) }
}

func describe(run memory.Run) string {
	text := fmt.Sprintf("%d changed of %d, notes %q\n", run.Changed, run.Examined, run.Notes)
	for _, a := range run.Actions {
		text += fmt.Sprintf("%s %s: %s\n%s", a.Kind, memory.ShortID(a.Memory), a.Reason, cmp.Diff(a.Before, a.After))
	}
	return text
}

// states are rows as far as maintenance changes them.
func states(rows map[string]memory.Row) map[string]memory.State {
	made := make(map[string]memory.State, len(rows))
	for id, row := range rows {
		made[id] = row.State()
	}
	return made
}

func checkSame(t failer, name string, before, after map[string]memory.Row) {
	if diff := cmp.Diff(states(before), states(after)); diff != "" {
		t.Fatalf("%s (-before +after):\n%s", name, diff)
	}
}

func TestNoJobLosesAnything(t *testing.T) {
	t.Parallel()
	archived := 0
	checkUntil(t, func() bool { return archived > 0 }, func(t *rapid.T) {
		w := history(t)
		before := rowsOf(t, w.store)
		step := func(job string) {
			run := w.run(t, job)
			after := rowsOf(t, w.store)
			if len(after) != len(before) {
				t.Fatalf("%s: %d rows became %d", run.Job, len(before), len(after))
			}
			for id, old := range before {
				checkKept(t, w, run.Job, old, after[id], after)
				if isInSight(old) && after[id].Memory.Status == memory.StatusArchived {
					archived++
				}
			}
			before = after
		}
		for range 8 {
			step(rapid.SampledFrom(schedule.JobNames()).Draw(t, "job"))
			if rapid.Bool().Draw(t, "later") {
				w.pass(t)
			}
		}
		step(schedule.Prune)
	})
}

func checkKept(t *rapid.T, w *world, job string, old, now memory.Row, all map[string]memory.Row) {
	id := memory.ShortID(old.Memory.ID)
	isNew := old.Memory.Status != now.Memory.Status
	switch {
	case now.Memory.ID == "":
		t.Fatalf("%s: %s is gone", job, id)
	case now.Memory.Content != old.Memory.Content:
		t.Fatalf("%s: %s had the text %q and has %q", job, id, old.Memory.Content, now.Memory.Content)
	case now.Memory.Status == memory.StatusConsolidated && isNew:
		into := all[now.MergedInto]
		for range len(all) { // its survivor may have been merged since
			if isInSight(into) || into.MergedInto == "" {
				break
			}
			into = all[into.MergedInto]
		}
		if !isInSight(into) {
			t.Fatalf("%s: %s was merged into %s, which is %s", job, id, now.MergedInto, into.Memory.Status)
		}
		direct := all[now.MergedInto].Memory.Content
		if same(direct) != same(old.Memory.Content) && !statement.Parse(direct).Same(statement.Parse(old.Memory.Content)) {
			t.Fatalf("%s: %q is no duplicate of %q", job, old.Memory.Content, direct)
		}
	}
	if isInSight(old) && !isInSight(now) && policy.Protected(old) && now.Memory.Status != memory.StatusConsolidated {
		t.Fatalf("%s: %s is protected and became %s", job, id, now.Memory.Status)
	}
	if old.Exempt && len(now.State().Changed(old.State())) > 0 {
		t.Fatalf("%s: %s is exempt and changed in %v", job, id, now.State().Changed(old.State()))
	}
}

func TestUndoRestoresTheExactRowsAndCanBeUndone(t *testing.T) {
	t.Parallel()
	undone := map[string]int{}
	checkUntil(t, acted(undone, schedule.Dedup, schedule.Promote, schedule.Prune), func(t *rapid.T) {
		w := history(t)
		for _, job := range schedule.JobNames() {
			if job != schedule.Close {
				before := rowsOf(t, w.store)
				run := w.run(t, job)
				after := rowsOf(t, w.store)
				undone[job] += len(run.Actions)
				undo := w.undo(t, run.ID)
				checkSame(t, "undo of "+job, before, rowsOf(t, w.store))
				redo := w.undo(t, undo.ID)
				checkSame(t, "undo of the undo of "+job, after, rowsOf(t, w.store))
				if rapid.Bool().Draw(t, "leave it done") {
					continue
				}
				w.undo(t, redo.ID)
				checkSame(t, "third undo of "+job, before, rowsOf(t, w.store))
				again := w.run(t, job)
				for _, a := range again.Actions {
					if slices.ContainsFunc(run.Actions, func(b memory.Action) bool { return a.Memory == b.Memory }) {
						t.Fatalf("%s repeats an action that was undone: %s", job, describe(again))
					}
				}
			}
		}
	})
}

func (w *world) undo(t failer, run string) memory.Run {
	w.clock = w.clock.Add(time.Second)
	r := w.runner()
	r.Page = 0 // many steps of the run are one here
	undo, err := r.Undo(context.Background(), run, "manual")
	if err != nil {
		t.Fatalf("undo of %s: %v", run, err)
	}
	if len(undo.Notes) > 0 {
		t.Fatalf("undo of %s: %q", run, undo.Notes)
	}
	return undo
}

// The undo of an edit left the new text active beside the old one, so both were injected.
func TestUndoOfAnEditWithdrawsTheNewText(t *testing.T) {
	w := &world{store: surrealtest.Empty(t), clock: noon, limits: policy.UsualLimits()}
	remember := func(text string) string {
		e := w.event("p", "s1")
		e.Kind, e.RememberedKind, e.Text, e.ByUser = memory.EventRemembered, memory.KindNote, text, true
		w.ingest(t, []memory.Event{e})
		return memory.NewID(memory.ScopeProject, "p", text)
	}
	first, other := remember("the gateway retries twice"), remember("the gateway retries four times")
	statuses := func() string {
		rows := rowsOf(t, w.store)
		text := ""
		for _, content := range []string{"the gateway retries twice", "the gateway retries three times", "the gateway retries four times"} {
			text += string(rows[memory.NewID(memory.ScopeProject, "p", content)].Memory.Status) + " "
		}
		return strings.TrimSpace(text)
	}
	edit := func(run, id, content string) {
		w.clock = w.clock.Add(time.Minute)
		if _, _, err := w.store.Amend(t.Context(), id, memory.Change{ID: run, Content: content, At: w.clock, By: "cli"}); err != nil {
			t.Fatal(err)
		}
	}
	edit("run1", first, "the gateway retries three times")
	undo := w.undo(t, "run1")
	if got, want := statuses(), "active archived active"; got != want {
		t.Errorf("after the undo they are %s, not %s", got, want)
	}
	musttest.Same(t, "undo of run1: text edited", undo.Actions[0].Reason, "the reason")
	w.undo(t, undo.ID)
	if got, want := statuses(), "archived active active"; got != want {
		t.Errorf("after its undo they are %s, not %s", got, want)
	}
	edit("run2", other, "the gateway retries three times") // which is there already
	w.undo(t, "run2")
	if got, want := statuses(), "archived active active"; got != want {
		t.Errorf("after the undo of a change to a text that was there they are %s, not %s", got, want)
	}
}

// The undo of a run skips memories that were touched after the run, and only those.
func TestUndoSkipsMemoriesTouchedSince(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := history(t)
		run := w.run(t, rapid.SampledFrom([]string{schedule.Dedup, schedule.Prune, schedule.Promote}).Draw(t, "job"))
		w.step(t)
		before := rowsOf(t, w.store)
		musttest.Get(w.runner().Undo(context.Background(), run.ID, "manual"))(t)
		after := rowsOf(t, w.store)
		if len(after) != len(before) {
			t.Fatalf("%d rows became %d", len(before), len(after))
		}
		for id, old := range before {
			touched := slices.ContainsFunc(run.Actions, func(a memory.Action) bool { return a.Memory == id })
			if changed := after[id].State().Changed(old.State()); !touched && len(changed) > 0 {
				// The sessions of a merged memory count for its survivor.
				if !slices.Equal(changed, []string{"sessions"}) && !slices.Equal(changed, []string{"sessions", "projects"}) {
					t.Fatalf("the run had not touched %s, its undo changed %v", id, changed)
				}
			}
		}
	})
}

func TestResultsDoNotDependOnTheOrderOfIngest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.page = 0
		var events []memory.Event
		for range rapid.IntRange(1, 3).Draw(t, "hours") {
			events = append(events, w.drawEvents(t)...)
		}
		w.clock = w.clock.AddDate(0, 0, rapid.IntRange(0, 60).Draw(t, "days"))
		shuffled := inTheirOrder(events, rapid.Permutation(events).Draw(t, "shuffled"))
		var ends []map[string]memory.State
		for at, order := range [][]memory.Event{shuffled, events} {
			one := &world{store: surrealtest.Empty(t), clock: w.clock, limits: w.limits}
			for part := range slices.Chunk(order, 1+at*len(order)) { // one by one, and all at once
				one.ingest(t, part)
			}
			one.settle(t)
			ends = append(ends, states(rowsOf(t, one.store)))
		}
		if diff := cmp.Diff(ends[0], ends[1]); diff != "" {
			t.Fatalf("in another order (-shuffled +in order):\n%s", diff)
		}
	})
}

// inTheirOrder brings the events that show the same memory back into their order: the first one
// ingested decides its kind, its home and its creation time.
func inTheirOrder(events, shuffled []memory.Event) []memory.Event {
	shows := func(e memory.Event) string { return fmt.Sprint(memory.Normalise(e.Text), e.Command, e.File, e.After) }
	waiting := map[string][]memory.Event{}
	for _, e := range events {
		waiting[shows(e)] = append(waiting[shows(e)], e)
	}
	ordered := make([]memory.Event, len(shuffled))
	for i, e := range shuffled {
		key := shows(e)
		ordered[i], waiting[key] = waiting[key][0], waiting[key][1:]
	}
	return ordered
}

// Without anything new a memory's reach changes in one direction only.
func TestReachDoesNotOscillate(t *testing.T) {
	t.Parallel()
	moved := 0
	checkUntil(t, func() bool { return moved > 0 }, func(t *rapid.T) {
		w := history(t)
		reach := map[memory.Scope]int{memory.ScopeProject: 0, memory.ScopeUser: 1}
		direction := map[string]int{}
		before := rowsOf(t, w.store)
		for range 3 {
			for _, job := range []string{schedule.Promote, schedule.Dedup, schedule.Promote} {
				w.run(t, job)
				after := rowsOf(t, w.store)
				for id, row := range after {
					step := reach[row.Memory.Scope] - reach[before[id].Memory.Scope]
					if step*direction[id] < 0 {
						t.Fatalf("%s went to and fro: now from %s to %s", id, before[id].Memory.Scope, row.Memory.Scope)
					}
					if step != 0 {
						direction[id] = step
						moved++
					}
				}
				before = after
			}
			w.clock = w.clock.AddDate(0, 0, 10)
		}
	})
}

// meanwhileStore has something happen between the planning of a step and its commit.
type meanwhileStore struct {
	storetest.Store
	happens func(actions []memory.Action)
}

func (s *meanwhileStore) Commit(ctx context.Context, c memory.Commit) ([]string, error) {
	if len(c.Run.Actions) > 0 {
		s.happens(c.Run.Actions)
	}
	return s.Store.Commit(ctx, c)
}

// A merge of which a part was used meanwhile is made as a whole, later: no use counts twice, and none is lost.
func TestUsesCountOnceWhateverHappensMeanwhile(t *testing.T) {
	t.Parallel()
	meanwhile := 0
	checkUntil(t, func() bool { return meanwhile > 0 }, func(t *rapid.T) {
		w := newWorld(t)
		w.limits.ProjectBudget, w.limits.UserBudget = 1<<30, 1<<30
		w.ingest(t, w.drawEvents(t))
		uses := 0
		use := func(ids ...string) {
			var batch memory.Batch
			for _, id := range ids {
				uses++
				batch.Uses = append(batch.Uses, memory.Use{Memory: id, Session: fmt.Sprint("used-", uses), At: w.clock})
			}
			musttest.Do(t, w.store.Ingest(context.Background(), batch))
		}
		ids := idsOf(rowsOf(t, w.store))
		if len(ids) == 0 {
			return
		}
		use(rapid.SliceOfN(rapid.SampledFrom(ids), 0, 12).Draw(t, "used")...)
		inner := w.store
		w.store = &meanwhileStore{inner, func(actions []memory.Action) {
			a := rapid.SampledFrom(actions).Draw(t, "meanwhile")
			if rapid.Bool().Draw(t, "is used") {
				use(a.Memory)
				meanwhile++
			}
		}}
		for range 3 {
			w.run(t, schedule.Dedup)
			w.run(t, schedule.Promote)
		}
		w.store = inner
		w.settle(t)
		counted, rows := 0, rowsOf(t, w.store)
		for _, row := range rows {
			if row.MergedInto == "" {
				counted += row.Uses
			}
		}
		if counted > uses {
			t.Fatalf("%d uses are counted as %d", uses, counted)
		}
		for id, row := range rows {
			if into := rows[row.MergedInto]; row.MergedInto != "" && !slices.Contains(into.DerivedFrom, id) {
				t.Fatalf("%s was merged into %s, which does not name it", id, row.MergedInto)
			}
		}
	})
}

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
	return &consolidate.Runner{Store: w.store, Counter: wordCounter{}, Now: func() time.Time { return w.clock }, CloseAfter: 24 * time.Hour, Limits: w.limits, Page: w.page}
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
	"Run the linter before each commit.", "run the linter, before each commit!",
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
	return memory.Event{ID: fmt.Sprintf("%016x", w.clock.UnixNano()), At: w.clock, Session: session, Project: memory.Project{Key: project, Name: project, Root: "/" + project}}
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

func isInSight(row memory.Row) bool { return row.Memory.Status == memory.StatusActive }

// Whatever becomes of memories that superseded the user's words, these are superseded only by a memory that is active, directly or by others
// that were superseded, edited or merged; or by newer words of the user's.
func TestNothingThatIsGoneSupersedesTheUsersWords(t *testing.T) {
	t.Parallel()
	released := 0
	checkUntil(t, func() bool { return released > 0 }, func(t *rapid.T) {
		w := newWorld(t)
		var write memory.Write
		for i, text := range sampleTexts[:8] {
			r := memory.Row{UserWritten: i == 3, UsedAt: w.clock, Memory: memory.Memory{
				ID: memory.NewID(memory.ScopeProject, "p", text), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
				Status: memory.StatusActive, Source: memory.SourceAssistant, Title: text, Content: text, Importance: 0.6, CreatedAt: w.clock, LastSeenAt: w.clock,
			}}
			if i >= 3 && i < 6 {
				r.Memory.Source, r.Memory.Title = memory.SourceUser, ""
			}
			write.Rows = append(write.Rows, memory.RowChange{After: r})
		}
		if err := w.store.Apply(context.Background(), write); err != nil {
			t.Fatalf("fill: %v", err)
		}
		var runs []string
		for range 14 {
			w.clock = w.clock.Add(time.Hour)
			before := rowsOf(t, w.store)
			row, by := before[rapid.SampledFrom(idsOf(before)).Draw(t, "memory")], before[rapid.SampledFrom(idsOf(before)).Draw(t, "by")]
			run, change := memory.NewEventID(w.clock), memory.Change{At: w.clock, By: memory.ByPerson}
			switch rapid.SampledFrom([]string{"supersede", "supersede", "supersede", "forget", "forget", "restore", "edit", "undo", "job"}).Draw(t, "step") {
			case "supersede":
				if !row.Memory.IsRecallable() || !by.Memory.IsRecallable() || row.SupersededBy+by.SupersededBy != "" || row.Memory.ID == by.Memory.ID || by.Memory.Source == memory.SourceUser {
					continue
				}
				after := row.State()
				after.SupersededBy = by.Memory.ID
				made := memory.Run{ID: run, Job: "replace", StartedAt: w.clock, EndedAt: w.clock}
				made.Add(row.Becomes(after, "supersede", "it is newer"))
				if _, err := w.store.Commit(context.Background(), memory.Commit{Run: made}); err != nil {
					t.Fatalf("supersede: %v", err)
				}
			case "forget":
				change.Status = memory.StatusArchived
			case "restore":
				change.Status = memory.StatusActive
			case "edit":
				change.Content = rapid.SampledFrom(sampleTexts).Draw(t, "text")
			case "undo":
				if len(runs) > 0 {
					undo, err := w.runner().Undo(context.Background(), rapid.SampledFrom(runs).Draw(t, "run"), "manual")
					if run = undo.ID; err != nil && !errors.Is(err, memory.ErrNotFound) { // a change without an effect is not recorded
						t.Fatalf("undo: %v", err)
					}
				}
			default:
				run = w.run(t, rapid.SampledFrom([]string{schedule.Dedup, schedule.Prune}).Draw(t, "job")).ID
			}
			if change.Status != "" || change.Content != "" {
				change.ID = run
				if _, _, err := w.store.Amend(context.Background(), row.Memory.ID, change); err != nil && !errors.Is(err, memory.ErrInvalid) {
					t.Fatalf("change: %v", err)
				}
			}
			if run != "" {
				runs = append(runs, run)
			}
			after := rowsOf(t, w.store)
			for id, one := range after {
				if !one.Memory.IsRecallable() || !one.IsUsers() {
					continue
				}
				if was := before[id]; was.SupersededBy != "" && one.SupersededBy == "" && row.Memory.ID != id {
					released++
				}
				next, passed := one.SupersededBy, map[string]bool{}
				for next != "" && !passed[next] {
					passed[next], one = true, after[next]
					if next = one.MergedInto; next == "" {
						next = one.SupersededBy
					}
				}
				if next != "" || !one.Memory.IsRecallable() && !one.Memory.IsUsersWord() {
					t.Fatalf("%s is active, and superseded by %s in the end, which is %q", memory.ShortID(id), memory.ShortID(one.Memory.ID), one.Memory.Status)
				}
			}
		}
	})
}
