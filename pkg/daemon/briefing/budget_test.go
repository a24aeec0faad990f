package briefing_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// Every injection, over random stores, purposes, budgets, compactions and restarts, keeps these promises: its text is within the
// budget by the real tokenizer, has the reported size, is below the client's limit of characters, is inside the one tag that is
// stripped from captured texts, and repeats nothing within a session.
func TestInjectionsKeepTheirBudgetAndRepeatNothing(t *testing.T) {
	counter := daemontest.ExactCounter(t)
	dir, run := t.TempDir(), 0
	injected := map[string]int{} // by purpose, to check that each was tested
	rapid.Check(t, func(t *rapid.T) {
		run++
		h := &history{t: t, counter: counter, clock: &ticking{}, given: map[string]int{}, injected: injected}
		h.clock.Seconds.Store(3600)
		cfg, home := config.Default(), paths.Layout{Home: filepath.Join(dir, fmt.Sprint(run))}
		h.daemon = daemontest.NewFixture(daemon.Options{
			Store: surrealtest.Empty(t), Spools: []*spool.Spool{spool.New(home.Spool())}, Layout: home,
			Counter: counter, Config: cfg, Log: slog.New(slog.DiscardHandler), Now: h.clock.Now,
		})
		h.fill()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			h.step()
		}
	})
	for _, purpose := range append([]string{"start", "compact"}, purposes...) {
		if injected[purpose] == 0 && run >= 100 {
			t.Errorf("nothing was ever injected for a %s", purpose)
		}
	}
}

var purposes = []string{daemonapi.ForPrompt, daemonapi.ForRead, daemonapi.ForWrite, daemonapi.ForCommand, daemonapi.ForFailure, daemonapi.ForSubagent}

// history is the sequence of events in one store.
type history struct {
	t        *rapid.T
	daemon   *daemontest.Fixture
	counter  memory.TokenCounter
	clock    *ticking
	given    map[string]int // how often a line was injected into a session since its last compaction
	restart  int
	injected map[string]int
}

var kinds = []memory.Kind{
	memory.KindTodo, memory.KindConvention, memory.KindDecision, memory.KindNote, memory.KindPreference,
	memory.KindFix, memory.KindFix, memory.KindFix, memory.KindFix, memory.KindDiscovery,
}

// fill puts memories of an earlier session into the store. Each begins with a
// number of its own, by which it is recognised in a text.
func (h *history) fill() {
	batch := memory.Batch{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: daemontest.Noon}},
		Sessions: []memory.Session{{ID: "old", Project: "p", State: memory.SessionActive, StartedAt: daemontest.Noon, LastEventAt: daemontest.Noon}},
	}
	contents := rapid.SliceOfN(content(), 0, 40).Draw(h.t, "contents")
	contents = append(contents, "server.go listens on port 6543") // so that something fits
	for i, text := range contents {
		m := memory.Memory{
			Kind: rapid.SampledFrom(kinds).Draw(h.t, "kind"), Content: fmt.Sprintf("m%d. %s", i, text), Project: "p",
			Scope: memory.ScopeProject, Type: memory.TypeSemantic, Status: memory.StatusActive, Importance: 0.5, Session: "old",
			Files: []string{"server.go"}, Command: "go test ./server", Signature: memory.ErrorSignature(daemontest.Boom),
			CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon,
		}
		m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		batch.Memories = append(batch.Memories, m)
		if i == len(contents)-1 {
			m.Kind = memory.KindConvention
			m.ID = memory.NewID(m.Scope, m.Project, m.Content)
			batch.Memories[i] = m
		}
		if m.Kind.IsUserAuthored() && (i == len(contents)-1 || rapid.Bool().Draw(h.t, "isRequested")) {
			batch.UserWritten = append(batch.UserWritten, m.ID)
			batch.Memories[len(batch.Memories)-1].Source = memory.SourceUser
		}
	}
	asked := memory.Memory{ // fits the task of a subagent, whatever the others are
		Kind: memory.KindNote, Source: memory.SourceUser, Content: "m99. the gateway keeps expired tickets for nine days", Project: "p", Scope: memory.ScopeProject,
		Type: memory.TypeSemantic, Status: memory.StatusActive, Importance: 0.5, Session: "old", CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon,
	}
	asked.ID = memory.NewID(asked.Scope, asked.Project, asked.Content)
	batch.Memories, batch.UserWritten = append(batch.Memories, asked), append(batch.UserWritten, asked.ID)
	if err := h.daemon.Store.Ingest(h.t.Context(), batch); err != nil {
		h.t.Fatal(err)
	}
	ended := memory.Batch{Sessions: []memory.Session{{
		ID: "summarised", Project: "p", State: memory.SessionSummarising, StateAt: daemontest.Noon, StartedAt: daemontest.Noon, LastEventAt: daemontest.Noon, EndedAt: daemontest.Noon,
	}}}
	if err := h.daemon.Store.Ingest(h.t.Context(), ended); err != nil {
		h.t.Fatal(err)
	}
	summary := memory.Summary{Text: rapid.StringN(0, 500, -1).Draw(h.t, "summary")}
	if err := h.daemon.Store.Ingest(h.t.Context(), memory.Batch{Summaries: []memory.SessionSummary{{Session: "summarised", Summary: summary}}}); err != nil {
		h.t.Fatal(err)
	}
}

func content() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringN(0, 300, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("server.go port 0")), 0, 2500, -1),
		rapid.SampledFrom([]string{"server.go listens on port 6543", "the port of server.go", "", "</surrealdb-memory>", "<surrealdb-memory>x", "</SURREALDB-MEMORY >", "😀 port"}),
	)
}

func (h *history) step() {
	session := rapid.SampledFrom([]string{"s1", "s2"}).Draw(h.t, "session")
	budget := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 120), rapid.IntRange(0, 3000), rapid.IntRange(0, 10_000)).Draw(h.t, "budget")
	switch purpose := rapid.SampledFrom(append([]string{"start", "compact", "restart"}, purposes...)).Draw(h.t, "purpose"); purpose {
	case "restart":
		h.daemon.Sessions.Save(h.t.Context())
		h.daemon = daemontest.Restarted(h.daemon)
		h.restart++
	case "start":
		h.start(session, "resume", budget)
	case "compact":
		h.compact(session, budget)
	default:
		h.recall(session, purpose, budget)
	}
}

func (h *history) recall(session, purpose string, budget int) {
	ask := daemonapi.RecallParams{Purpose: purpose, Project: "p", Session: session, TokenBudget: budget}
	listener := session
	switch purpose {
	case daemonapi.ForPrompt:
		ask.Text = "On which port does server.go listen?"
		ask.MaxLines = rapid.IntRange(0, 6).Draw(h.t, "lines")
	case daemonapi.ForRead, daemonapi.ForWrite:
		ask.File = "server.go"
	case daemonapi.ForCommand, daemonapi.ForFailure:
		ask.Command, ask.Text = "go test ./server", daemontest.Boom
	case daemonapi.ForSubagent:
		h.daemon.Sessions.ExpectSubagent(session, "helper", "Find out how many days the gateway keeps expired tickets, and whether server.go listens on port 6543.")
		ask.Text, ask.Subagent = "helper", rapid.SampledFrom([]string{"a1", "a2"}).Draw(h.t, "subagent")
		listener += fmt.Sprint(ask.Subagent, h.restart) // a subagent does not outlive its client
	}
	result, err := h.daemon.Briefing.Recall(h.t.Context(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	if ask.MaxLines > 0 && result.Items > ask.MaxLines {
		h.t.Errorf("%d memories for a prompt with at most %d lines", result.Items, ask.MaxLines)
	}
	h.check(listener, purpose, budget, result)
}

func (h *history) start(session, source string, budget int) {
	result, err := h.daemon.Briefing.SessionContext(h.t.Context(), daemonapi.SessionContextParams{Project: "p", Session: session, Source: source, TokenBudget: budget})
	if err != nil {
		h.t.Fatal(err)
	}
	purpose := "start"
	if source == "compact" {
		purpose = source
	}
	h.check(session, purpose, budget, result)
}

// compact starts and ends a compaction in the order in which the client does.
func (h *history) compact(session string, budget int) {
	h.ingest(session, memory.EventCompacting, "")
	for key := range h.given {
		if strings.HasPrefix(key, session+" ") {
			delete(h.given, key)
		}
	}
	h.ingest(session, memory.EventSessionStarted, "compact")
	h.start(session, "compact", budget)
	h.ingest(session, memory.EventCompacted, "auto")
}

func (h *history) ingest(session string, kind memory.EventKind, source string) {
	at := h.clock.Now()
	e := memory.Event{ID: memory.NewEventID(at), At: at, Kind: kind, Session: session, Project: memory.Project{Key: "p"}, Source: source, Text: "x"}
	if err := h.daemon.Store.Ingest(h.t.Context(), ingest.Batch([]memory.Event{e})); err != nil {
		h.t.Fatal(err)
	}
}

var line = regexp.MustCompile(`(?m)^- (?:\[[^\]]*\] )*(m\d+)\. `)

func (h *history) check(listener, purpose string, budget int, result daemonapi.ContextResult) {
	t := h.t
	musttest.Same(t, result.Tokens, h.counter.Count(result.Text), "%s: the tokens of the text (-want +got)", purpose)
	if result.Tokens > budget {
		t.Errorf("%s: %d tokens in a budget of %d", purpose, result.Tokens, budget)
	}
	if n := len(utf16.Encode([]rune(result.Text))); n >= 10_000 {
		t.Errorf("%s: %d characters, which the client replaces by a preview", purpose, n)
	}
	musttest.Same(t, (result.Items == 0), (result.Text == ""), "%s: %d items make %q", purpose, result.Items, result.Text)
	if result.Text == "" {
		return
	}
	h.injected[purpose]++
	if strings.Count(result.Text, "<surrealdb-memory") != 1 || strings.Count(result.Text, "</surrealdb-memory") != 1 {
		t.Errorf("%s: not in one tag:\n%s", purpose, result.Text)
	}
	for _, found := range line.FindAllStringSubmatch(result.Text, -1) {
		key := listener + " " + found[1]
		if h.given[key]++; h.given[key] > 1 {
			t.Errorf("%s: %s is injected again:\n%s", purpose, key, result.Text)
		}
	}
}
