package daemon_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// lived is a life of a store, drawn at random: prompts, actions, changes by hand, by maintenance and by a model, and undos.
type lived struct {
	*recording
	*rapid.T
	model *daemontest.Scripted
	n     int // steps so far
	done  map[string]int
	// stayed are the user's memories whose project was purged, and sessions that were.
	stayed []string
	backup string // the file of one that was made in the middle of its life
}

// save makes a backup.
func (h *lived) save() {
	made, err := h.Upkeep.Backup(context.Background(), "")
	h.must(err)
	h.backup = made.File
}

// sayings are texts of which rules keep something; some are near duplicates, some correct others.
var sayings = []string{
	"we must never join on the account, guests have none", "we must never join on the account: guests have none!",
	"always run the linter before you push", "always run the formatter before you push",
	"the api listens on port 6543", "the api listens on port 7001", "No, we removed the cache on purpose.",
	"we decided to keep sqlite for the tests", "please use tabs, not spaces, in the templates",
}

// newLife begins a life in a store, with a journal in a directory.
func newLife(t *rapid.T, dir string, store storetest.Store) *lived {
	r := &recording{dir: dir, inner: store, spool: spool.New(filepath.Join(dir, "spool")), clock: daemontest.Noon}
	h := &lived{recording: r, T: t, done: map[string]int{}}
	h.model = &daemontest.Scripted{Answer: h.answer}
	now := func() time.Time { return r.clock }
	settings := config.Default()
	settings.Distill.Enabled, settings.Distill.DayTokens = true, 100_000_000
	r.Fixture = daemontest.NewFixture(daemon.Options{
		Store: store, Spools: []*spool.Spool{r.spool}, Counter: daemontest.WordCounter{}, Config: settings, Log: slog.New(slog.DiscardHandler), Now: now,
		Journal: journal.New(filepath.Join(dir, "journal"), now), Backups: filepath.Join(dir, "backups"), Layout: paths.Layout{Home: dir},
		Distills: func() (config.Distill, distill.Model) { return settings.Distill, h.model },
	})
	h.Upkeep.Limits = policy.Limits{ProjectBudget: 30, UserBudget: 50_000}
	return h
}

func (h *lived) must(err error) {
	if err != nil {
		h.Fatalf("step %d: %v", h.n, err)
	}
}

// might lets a step fail that cannot be done as the store is.
func (h *lived) might(err error) {
	for _, expected := range []error{memory.ErrNotFound, memory.ErrInvalid} {
		if errors.Is(err, expected) {
			return
		}
	}
	h.must(err)
}

func (h *lived) chance(in int) bool { return rapid.IntRange(1, in).Draw(h.T, "chance") == 1 }

// event is a new event of one of the sessions.
func (h *lived) event(kind memory.EventKind) memory.Event {
	h.clock = h.clock.Add(time.Second)
	e := daemontest.Event(0, kind)
	e.At = h.clock
	if h.chance(8) { // it comes late
		e.At = e.At.Add(-time.Minute)
	}
	e.ID = memory.NewEventID(e.At)
	e.Client = rapid.SampledFrom([]string{"", "codex"}).Draw(h.T, "client")
	return in(rapid.IntRange(0, 3).Draw(h.T, "session"), e)
}

// in returns an event as one of a session, the last of which is of another project.
func in(session int, e memory.Event) memory.Event {
	project := "p"
	if session == 3 {
		project = "q"
	}
	e.Session, e.Project, e.Dir = fmt.Sprint("s", session), memory.Project{Key: project, Name: project, Root: "/" + project}, "/"+project
	return e
}

func (h *lived) say() {
	e := h.event(memory.EventPrompt)
	e.Prompt = rapid.SampledFrom(sayings).Draw(h.T, "saying")
	h.take(e)
}

func (h *lived) remember() {
	e := h.event(memory.EventRemembered)
	e.Text = rapid.SampledFrom(sayings).Draw(h.T, "text")
	e.RememberedKind = rapid.SampledFrom([]memory.Kind{memory.KindNote, memory.KindConvention, memory.KindPreference, memory.KindTodo}).Draw(h.T, "kind")
	if h.chance(3) {
		e.Tags = []string{"port"}
	}
	e.ByUser = h.chance(2)
	if h.chance(2) {
		e.Title, e.Area, e.Cues, e.Weight, e.Everywhere = "A title", "ports", []string{"when it listens"}, rapid.IntRange(0, 3).Draw(h.T, "weight"), h.chance(2)
	}
	if row, any := h.some(); any && h.chance(2) {
		e.Replaces = row.Memory.ID[:rapid.SampledFrom([]int{4, 12, 32}).Draw(h.T, "digits")]
	}
	h.take(e)
}

func (h *lived) turn() {
	prompt, edited, ended := h.event(memory.EventPrompt), h.event(memory.EventFileChanged), h.event(memory.EventTurnEnded)
	edited.Session, edited.Project, ended.Session, ended.Project = prompt.Session, prompt.Project, prompt.Session, prompt.Project
	prompt.Prompt = rapid.SampledFrom(sayings).Draw(h.T, "saying")
	edited.Tool, edited.File, edited.After = "Write", fmt.Sprint("file", rapid.IntRange(0, 2).Draw(h.T, "file")), "select"
	ended.Text = "The root cause was that guests have no account. I decided to keep the join on the session."
	h.take(prompt, edited, ended)
}

func (h *lived) command() {
	bad, good := h.event(memory.EventCommandFailed), h.event(memory.EventCommandSucceeded)
	good.Session, good.Project = bad.Session, bad.Project
	bad.Command, bad.Error, good.Command = "make build", "Exit code 1\nundefined: x", "make build"
	found := h.event(memory.EventRemembered) // several sessions find the same
	found.RememberedKind, found.Text = memory.KindDiscovery, "make build needs redis"
	if h.chance(2) {
		h.take(bad, found)
	} else {
		h.take(bad, good, found)
	}
}

func (h *lived) begin() {
	e := h.event(memory.EventSessionStarted)
	e.Source = "startup"
	h.take(e)
}

func (h *lived) end() { h.take(h.event(memory.EventSessionEnded)) }

func (h *lived) take(events ...memory.Event) { h.ingest(h.T, events...) }

// fetch imports memories from elsewhere, and sometimes again.
func (h *lived) fetch() {
	n := rapid.IntRange(0, 4).Draw(h.T, "imported")
	e := daemontest.ImportedNote(n, rapid.SampledFrom(sayings).Draw(h.T, "saying"))
	events := []memory.Event{e}
	if h.chance(2) {
		events = append(events, daemontest.ImportedSession("what it came to."))
	}
	_, err := h.Intake.Import(context.Background(), daemonapi.ImportParams{Events: events})
	h.must(err)
}

// report is any other event that has words.
func (h *lived) report() {
	e := h.event(rapid.SampledFrom([]memory.EventKind{
		memory.EventAnswered, memory.EventRefused, memory.EventPlanAccepted, memory.EventSubagentReported, memory.EventTaskCompleted, memory.EventToolUsed,
		memory.EventCompacting, memory.EventCompacted, memory.EventTurnFailed, memory.EventNotified,
	}).Draw(h.T, "kind"))
	e.Text, e.Tool, e.LastWords = rapid.SampledFrom(sayings).Draw(h.T, "saying"), "Edit", "Which port does the api listen on?"
	e.Prompt = e.Text
	h.take(e)
}

// review confirms or rejects a memory that a rule kept.
func (h *lived) review() {
	waiting, err := memory.Memories(context.Background(), h.inner, memory.Filter{Project: "p", Statuses: []memory.Status{memory.StatusActive}, Limit: 100})
	h.must(err)
	slices.SortFunc(waiting, func(a, b memory.Memory) int { return cmp.Compare(a.ID, b.ID) })
	if len(waiting) == 0 {
		return
	}
	m := rapid.SampledFrom(waiting).Draw(h.T, "kept")
	h.clock = h.clock.Add(time.Second)
	c := memory.Change{ID: memory.NewEventID(h.clock), At: h.clock, By: memory.ByPerson, AddTags: []string{"seen"}}
	if h.chance(2) {
		c.Status, c.AddTags = memory.StatusArchived, nil
	}
	_, err = h.Intake.Amend(context.Background(), daemonapi.AmendParams{Project: m.Project, ID: m.ID, Change: c})
	h.might(err)
	h.done["reviewed "+string(m.Status)]++
}

// letter is rows of another machine of the user, as they are there.
func (h *lived) letter() {
	at := h.clock.Add(-time.Hour)
	m := memory.Memory{
		Kind:    rapid.SampledFrom([]memory.Kind{memory.KindConvention, memory.KindTodo, memory.KindFix, memory.KindDiscovery}).Draw(h.T, "kind"),
		Status:  rapid.SampledFrom([]memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated}).Draw(h.T, "status"),
		Scope:   rapid.SampledFrom([]memory.Scope{memory.ScopeProject, memory.ScopeUser}).Draw(h.T, "scope"),
		Source:  rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceAssistant, memory.SourceTool}).Draw(h.T, "source"),
		Pinned:  h.chance(3),
		Content: rapid.SampledFrom(sayings).Draw(h.T, "text"), CreatedAt: at, LastSeenAt: at,
	}
	m.Session, m.Project = fmt.Sprint("elsewhere", rapid.IntRange(0, 1).Draw(h.T, "session")), map[memory.Scope]string{memory.ScopeProject: "p"}[m.Scope]
	m.ID = memory.NewID(m.Scope, m.Project, m.Content)
	var text bytes.Buffer
	out, err := importer.NewEncoder(&text, "", at)
	h.must(err)
	h.must(out.Page(memory.ExportPage{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p"}}, Memories: []memory.Memory{m},
		Sessions:  []memory.Session{{ID: m.Session, Project: "p", Dir: "/p", State: memory.SessionCompleted, StateAt: at, StartedAt: at, LastEventAt: at, EndedAt: at}},
		Prompts:   []memory.Prompt{{ID: m.Session + "-1", Session: m.Session, Project: "p", At: at, Text: m.Content}},
		Sightings: []memory.Sighting{{ID: fmt.Sprint(m.ID, "-", m.Session), Memory: m.ID, Session: m.Session, At: at}},
	}))
	in, err := importer.NewDecoder(&text)
	h.must(err)
	var events []memory.Event
	for event, err := range in.Events() {
		h.must(err)
		events = append(events, event)
	}
	result, err := h.Intake.Import(context.Background(), daemonapi.ImportParams{Events: events})
	h.must(err)
	if len(result.Refused) > 0 {
		h.Fatalf("step %d: refused %+v", h.n, result.Refused)
	}
	h.done["letter"] += result.Added
}

// some is any row of the store, with its project.
func (h *lived) some() (memory.Row, bool) {
	all := h.all()
	if len(all) == 0 {
		return memory.Row{}, false
	}
	return rapid.SampledFrom(all).Draw(h.T, "row"), true
}

// all returns all rows of the store, in the order of their ids.
func (h *lived) all() []memory.Row {
	all, err := h.inner.Rows(context.Background(), memory.Filter{Limit: 1000})
	h.must(err)
	slices.SortFunc(all, func(a, b memory.Row) int { return strings.Compare(a.Memory.ID, b.Memory.ID) })
	return all
}

// change changes a memory by hand.
func (h *lived) change() {
	row, any := h.some()
	if !any {
		return
	}
	h.clock = h.clock.Add(time.Second)
	is, isNot, weight := true, false, rapid.SampledFrom([]float64{0.05, 0.2, 0.9}).Draw(h.T, "weight")
	c := rapid.SampledFrom([]memory.Change{
		{Status: memory.StatusArchived, Reason: "wrong"},
		{Status: memory.StatusActive},
		{Pinned: &is},
		{Pinned: &isNot},
		{AddTags: []string{"port"}},
		{RemoveTags: []string{"port"}},
		{Scope: memory.ScopeUser},
		{Scope: memory.ScopeProject},
		{Importance: &weight},
		{Kind: memory.KindTodo},
		{Kind: memory.KindNote},
		{Content: rapid.SampledFrom(sayings).Draw(h.T, "text")},
		{Status: memory.StatusArchived},
	}).Draw(h.T, "change")
	c.ID, c.At, c.By = memory.NewEventID(h.clock), h.clock, rapid.SampledFrom([]string{memory.ByPerson, "mcp"}).Draw(h.T, "by")
	_, err := h.Intake.Amend(context.Background(), daemonapi.AmendParams{Project: row.Memory.Project, ID: row.Memory.ID, Change: c})
	h.might(err)
}

// use has a session use a memory.
func (h *lived) use() {
	if row, any := h.some(); any {
		h.Sessions.Recalled(fmt.Sprint("s", rapid.IntRange(0, 3).Draw(h.T, "session")), []string{row.Memory.ID}, h.clock)
		h.Sessions.Save(context.Background())
	}
}

// agree has a session of each project ask to keep the same, and some of the sessions use both memories: without that no job
// promotes anything.
func (h *lived) agree() {
	text := rapid.SampledFrom(sayings).Draw(h.T, "text")
	for _, session := range []int{0, 3} {
		e := in(session, h.event(memory.EventRemembered))
		e.Text, e.RememberedKind, e.ByUser = text, memory.KindConvention, true
		h.take(e)
	}
	for _, row := range h.all() {
		if row.Memory.Content == text {
			for session := range rapid.IntRange(2, 4).Draw(h.T, "sessions") {
				h.Sessions.Recalled(fmt.Sprint("s", session), []string{row.Memory.ID}, h.clock)
			}
		}
	}
	h.Sessions.Save(context.Background())
}

func (h *lived) maintain() {
	job := rapid.SampledFrom(schedule.JobNames()).Draw(h.T, "job")
	run, err := h.Upkeep.Maintain(context.Background(), consolidate.Request{Job: job, Trigger: "manual", All: h.chance(2)})
	h.must(err)
	h.count(job, run)
}

// count notes which kinds of action were made.
func (h *lived) count(job string, run memory.Run) {
	for _, a := range run.Actions {
		h.done[job+" "+a.Kind]++
	}
}

// undo takes back any run, an undo among them.
func (h *lived) undo() {
	runs, err := h.inner.Runs(context.Background(), memory.RunQuery{Limit: 1000})
	h.must(err)
	if len(runs) == 0 {
		return
	}
	if h.chance(2) { // changes by hand are the most, but not the most various
		if others := slices.DeleteFunc(slices.Clone(runs), func(run memory.Run) bool { return run.Job == "amend" || run.Job == "undo" || run.Changed == 0 }); len(others) > 0 {
			runs = others
		}
	}
	run := rapid.SampledFrom(runs).Draw(h.T, "run")
	undone, err := h.Upkeep.Undo(context.Background(), daemonapi.UndoParams{Run: run.ID, Trigger: "cli"})
	h.might(err)
	h.done["undo of "+run.Job] += len(undone.Actions)
	h.count("undo", undone)
}

func (h *lived) distil() {
	h.end()
	h.Distiller.AfterSessions(context.Background())
	h.Distiller.Wait()
	h.Distiller.Work(context.Background())
	h.Distiller.Wait()
}

// modelFacts are the facts of the model, each sooner or later marked to supersede, correct or confirm another.
var modelFacts = []string{"Export queries must not join on the account.", "The account is joined nowhere, guests have none.", "Guests have no account."}

func (h *lived) answer(q distill.Question) (distill.Reply, error) {
	h.n++ // each answer differs
	var all [][2]string
	for i, fact := range modelFacts {
		for _, quote := range sayings {
			if strings.Contains(q.Prompt, quote) && (h.n+i)%2 == 0 {
				all = append(all, [2]string{fact, quote})
				break
			}
		}
	}
	reply, err := daemontest.Wrote("guests have no account", all...)
	relation := []string{"supersedes", "corrects", "confirms"}[h.n%3]
	for _, fact := range modelFacts {
		if id := daemontest.ShownID(q, fact); id != "" {
			reply.Text = []byte(strings.Replace(string(reply.Text), `"about":"","kind":"convention"`, fmt.Sprintf(`"about":%q,"kind":"convention"`, id), 1))
			reply.Text = []byte(strings.Replace(string(reply.Text), `"relation":""`, fmt.Sprintf(`"relation":%q`, relation), 1))
		}
	}
	return reply, err
}

func (h *lived) wait() {
	days := rapid.SampledFrom([]int{0, 1, 3, 40}).Draw(h.T, "days")
	h.clock = h.clock.Add(time.Duration(days)*24*time.Hour + time.Hour)
}

func (h *lived) merge() {
	_, err := h.Projects.Merge(context.Background(), daemonapi.MergeParams{From: "q", Into: "p"})
	h.might(err)
}

func (h *lived) purge() {
	p := rapid.SampledFrom([]daemonapi.PurgeParams{{Key: "q"}, {Key: "q"}, {Key: "p"}, {All: true}}).Draw(h.T, "purged")
	_, err := h.Projects.Purge(context.Background(), p)
	h.might(err)
	for session := range 4 { // their uses of the remaining memories count on
		h.stayed = append(h.stayed, fmt.Sprintf(`-s%d"`, session))
	}
	for _, row := range h.all() {
		if row.Memory.Scope == memory.ScopeUser {
			h.stayed = append(h.stayed, row.Memory.ID)
		}
	}
}

// restart has another daemon go on, which holds nothing yet.
func (h *lived) restart() {
	h.must(h.Journal.Close())
	h.Rebuild()
	h.Upkeep.Limits = policy.Limits{ProjectBudget: 30, UserBudget: 50_000}
}

// live takes some steps.
func (h *lived) live(steps int) {
	every := map[string]func(){
		"say": h.say, "remember": h.remember, "turn": h.turn, "command": h.command, "begin": h.begin, "end": h.end, "fetch": h.fetch,
		"change": h.change, "use": h.use, "maintain": h.maintain, "undo": h.undo, "distil": h.distil, "wait": h.wait, "merge": h.merge,
		"purge": h.purge, "restart": h.restart, "save": h.save, "report": h.report, "review": h.review, "letter": h.letter, "agree": h.agree,
	}
	weights := map[string]int{"say": 3, "remember": 3, "change": 4, "maintain": 4, "undo": 4, "turn": 2, "wait": 2, "distil": 2, "agree": 2}
	var names []string
	for name := range every {
		for range max(1, weights[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for range steps {
		h.n++
		h.clock = h.clock.Add(time.Minute)
		every[rapid.SampledFrom(names).Draw(h.T, "step")]()
	}
}

// close ends a life; its directory goes.
func (h *lived) close() {
	_ = h.Journal.Close()
	_ = os.RemoveAll(h.dir)
}
