package consolidate_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

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
	// uses are memories that the session was given, if they were in sight, and then
	// touched.
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
func (l mention) id() string {
	return memory.NewID(memory.ScopeProject, l.project, l.text)
}

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

// happen adds an event, a while after the one before. The half second keeps it
// apart from whatever the clock starts.
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
	c.happen(memory.Event{
		Kind: memory.EventCommandFailed, Command: command,
		Error: fmt.Sprintf("Exit code 1\nerror: %s (%s)", pick(c.planner, errorsSeen), where),
	})
	if c.chance(mended) {
		c.edit(file)
		c.happen(memory.Event{Kind: memory.EventCommandSucceeded, Command: command, Output: "ok"})
	}
}

// mention has the session state the texts planted for it, up to four, and some of the usual kinds.
func (c *script) mention() {
	for range 4 {
		waiting := c.waiting[c.s.project]
		if len(waiting) == 0 || waiting[0].at.After(c.s.at) {
			break
		}
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
	return fmt.Sprintf("the %s %s %s %s, %s (%s)", pick(c.planner, parts), pick(c.planner, verbs), pick(c.planner, parts),
		pick(c.planner, times), pick(c.planner, reasons), file), file
}

// use touches the files of planted facts that are due for use, and now and then a file of the
// background.
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
