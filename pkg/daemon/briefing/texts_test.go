package briefing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// shop is the project of the texts in docs/lab/recall.md: four sessions of a person and an assistant, each on a day of its own.
type shop struct {
	*daemontest.Fixture
	t       *testing.T
	at      time.Time
	session string
}

// asking is the session that the texts are for.
const asking = "s9"

func newShop(t *testing.T) *shop {
	a, _, _ := daemontest.New(t)
	s := &shop{Fixture: a, t: t, at: daemontest.Noon}
	a.Counter, a.Now = daemontest.ExactCounter(t), func() time.Time { return s.at }
	s.day("s1")
	s.turn("The invoices show no VAT for guests, why?", "The tax service is only asked for accounts. Root cause: `price.go` skips the lookup where the account is nil.")
	s.edit("shop/price.go")
	s.turn("no, don't catch the error there, we want the checkout to fail loudly", "The checkout now fails where the tax service does.")
	s.turn("From now on every migration in `db/migrations/` must name its ticket on the first line.", "Noted; the last two have it.")
	s.end()
	s.day("s2")
	s.fail("npm test", "Exit code 1\nError: listen EADDRINUSE: address already in use 127.0.0.1:4000")
	s.edit("web/ports.yaml")
	s.succeed("npm test")
	s.turn("We don't use the carrier's v1 API anymore, only v2, because v1 drops the street number.", "The two callers of v1 are gone; `ship/client.go` has v2 alone.")
	s.turn("Remember: ask Mira before changing the price rounding.", "I will.")
	s.end()
	s.day("s3")
	s.turn("Why is the nightly export empty on Mondays?", "It reads yesterday's partition, and none is written on Sundays. Nothing is lost: Tuesday's run has both days.")
	s.keep(memory.KindTodo, "write the runbook for a failed nightly export", "ops/runbook.md")
	s.turn("I'd prefer short commit messages without a body", "They are one line now.")
	s.end()
	s.at = s.at.Add(24 * time.Hour)
	daemontest.Ingested(t, a)
	_, _ = a.Briefing.Index(t.Context(), "p")
	return s
}

func (s *shop) day(session string) {
	s.at, s.session = s.at.AddDate(0, 0, 1), session
	s.put(memory.EventSessionStarted, func(*memory.Event) {})
}

// put spools an event, a minute after the previous one. Whoever asks the daemon ingests all.
func (s *shop) put(kind memory.EventKind, fill func(e *memory.Event)) {
	s.t.Helper()
	s.at = s.at.Add(time.Minute)
	e := daemontest.Event(0, kind)
	e.At, e.ID, e.Session = s.at, memory.NewEventID(s.at), s.session
	fill(&e)
	daemontest.Put(s.t, s.Spools[0], e)
}

func (s *shop) turn(asked, answer string) {
	s.put(memory.EventPrompt, func(e *memory.Event) { e.Prompt = asked })
	s.put(memory.EventTurnEnded, func(e *memory.Event) { e.Text = answer })
}

func (s *shop) keep(kind memory.Kind, text string, files ...string) {
	s.put(memory.EventRemembered, func(e *memory.Event) { e.RememberedKind, e.Text, e.Files, e.ByUser = kind, text, files, true })
}

func (s *shop) edit(file string) {
	s.put(memory.EventFileChanged, func(e *memory.Event) { e.Tool, e.File, e.Before, e.After = "Edit", file, "4000", "0" })
}

func (s *shop) fail(command, failure string) {
	s.put(memory.EventCommandFailed, func(e *memory.Event) { e.Tool, e.Command, e.Error = "Bash", command, failure })
}

func (s *shop) succeed(command string) {
	s.put(memory.EventCommandSucceeded, func(e *memory.Event) { e.Tool, e.Command = "Bash", command })
}

func (s *shop) end() { s.put(memory.EventSessionEnded, func(*memory.Event) {}) }

func (s *shop) start(source string) string {
	s.t.Helper()
	daemontest.Ingested(s.t, s.Fixture)
	result, err := s.Briefing.SessionContext(s.t.Context(), daemonapi.SessionContextParams{Project: "p", Session: asking, Source: source, TokenBudget: s.Config.Hooks.SessionStartTokens})
	if err != nil {
		s.t.Fatal(err)
	}
	return result.Text
}

func (s *shop) recall(p daemonapi.RecallParams) string {
	s.t.Helper()
	hooks := s.Config.Hooks
	p.Session = asking
	switch p.Purpose {
	case daemonapi.ForPrompt:
		p.TokenBudget, p.MaxLines = hooks.PromptTokens, hooks.PromptLines
	case daemonapi.ForSubagent:
		p.TokenBudget = hooks.SubagentTokens
	default:
		p.TokenBudget = hooks.PreToolUseTokens
	}
	return daemontest.Recalled(s.t, s.Fixture, p)
}

func (s *shop) compacted() string {
	s.session = asking
	s.turn("Round prices half up in shop/round.go", "Done in `shop/round.go`; Mira has not answered yet.")
	s.put(memory.EventCompacting, func(e *memory.Event) { e.Text = "Done in `shop/round.go`; Mira has not answered yet." })
	return s.start(session.Compact)
}

func (s *shop) resumed() string {
	s.start("startup")
	s.session = asking
	s.turn("Look at the export.", "I looked at it.")
	s.day("s4")
	s.turn("We decided to keep the export on Mondays as it is, since nobody reads it before Tuesday.", "Then nothing is to be done.")
	s.end()
	return s.start("resume")
}

// docs/lab/recall.md quotes the injected texts exactly.
func TestTheInjectedTextsOfTheDocs(t *testing.T) {
	prompt := func(text string) func(*shop) string {
		return func(s *shop) string {
			return s.recall(daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Text: text})
		}
	}
	file := func(purpose, name string) func(*shop) string {
		return func(s *shop) string { return s.recall(daemonapi.RecallParams{Purpose: purpose, File: name}) }
	}
	var all strings.Builder
	for i, c := range []struct {
		title string
		text  func(*shop) string
	}{
		{"A session starts", func(s *shop) string { return s.start("startup") }},
		{"The prompt \"why do guests see no VAT on the invoices?\"", prompt("why do guests see no VAT on the invoices?")},
		{"The prompt \"call the carrier's v1 API for the street number\"", prompt("call the carrier's v1 API for the street number")},
		{"The prompt \"ok, commit it\"", prompt("ok, commit it")},
		{"The prompt \"write a haiku about autumn leaves\"", prompt("write a haiku about autumn leaves")},
		{"`ops/runbook.md` is read", file(daemonapi.ForRead, "ops/runbook.md")},
		{"`cd web && CI=1 npm test 2>&1 | tail` is about to run", func(s *shop) string {
			return s.recall(daemonapi.RecallParams{Purpose: daemonapi.ForCommand, Command: "cd web && CI=1 npm test 2>&1 | tail"})
		}},
		{"A subagent of the type Explore starts with the task \"Find what reads the partition of the nightly export\"", func(s *shop) string {
			s.Sessions.ExpectSubagent(asking, "Explore", "Find what reads the partition of the nightly export")
			return s.recall(daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Text: "Explore", Subagent: "a1"})
		}},
		{"A session goes on after its compaction", func(s *shop) string { return s.compacted() }},
		{"A session is resumed, after another one", func(s *shop) string { return s.resumed() }},
	} {
		text := c.text(newShop(t))
		if text == "" {
			text = "(nothing)\n"
		}
		_, _ = fmt.Fprintf(&all, "%d. %s:\n\n    %s\n\n", i+1, c.title, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    "))
	}
	requireInDocs(t, all.String())
}

// requireInDocs wants a text between the marks of docs/lab/recall.md, or writes it there.
func requireInDocs(t *testing.T, want string) {
	t.Helper()
	const file, begin, end = "../../../docs/lab/recall.md", "<!-- texts:begin -->\n", "<!-- texts:end -->"
	content := musttest.Get(os.ReadFile(file))(t)
	before, rest, begins := strings.Cut(string(content), begin)
	got, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the texts", file)
	}
	if *daemontest.Update {
		musttest.Do(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o600))
		return
	}
	musttest.Same(t, got, want, "%s (-documented +injected; -update writes it)", file)
}

// TestMemoriesThatTheClientLoadsAreNotInjected stores two rules, of which CLAUDE.md has one.
func TestMemoriesThatTheClientLoadsAreNotInjected(t *testing.T) {
	root, client := t.TempDir(), t.TempDir()
	file := filepath.Join(root, "CLAUDE.md")
	synctest.Test(t, func(t *testing.T) { // its clock stands still while files are read
		a, _, s := daemontest.New(t)
		a.Instructions = instructions.New(client, time.Now)
		a.Rebuild()
		const rule, other = "database migrations are numbered with four digits", "database migrations need a test of their own"
		daemontest.Put(t, s, daemontest.Prompt(1, "Remember: "+rule))
		daemontest.Ingested(t, a, daemontest.Prompt(2, "Remember: "+other))
		const question = "how are the database migrations numbered, and do they need a test?"
		session := ""
		injected := func() map[string]string {
			t.Helper()
			session += "x"
			time.Sleep(time.Second) // of the bubble's clock
			start := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Root: root, Session: session, Source: "startup", TokenBudget: 1000, Before: "0"}))(t)
			texts := map[string]string{"start": start.Text}
			for text, purpose := range map[string]string{question: daemonapi.ForPrompt, "reviewer": daemonapi.ForSubagent, "Explore": daemonapi.ForSubagent} {
				a.Sessions.ExpectSubagent(session+text, text, "number the new database migrations and write a test of their own for them")
				answer := musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: purpose, Project: "p", Root: root, Session: session + text, Text: text, TokenBudget: 1000}))(t)
				texts[text] = answer.Text
			}
			return texts
		}
		expect := func(when string, isInjected map[string]bool) {
			t.Helper()
			for where, text := range injected() {
				musttest.Same(t, isInjected[where], strings.Contains(text, rule), "%s, %s: the rule is injected (-want +got)", when, where)
				if !strings.Contains(text, other) {
					t.Errorf("%s, %s: the other rule is not injected:\n%s", when, where, text)
				}
			}
		}
		all := map[string]bool{"start": true, question: true, "reviewer": true, "Explore": true}
		onlyExplore := map[string]bool{"Explore": true} // the client loads no instructions for it
		expect("before there is a file", all)
		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- **Database migrations** are numbered with four digits.\n"), 0o644))
		expect("CLAUDE.md says it", onlyExplore)

		found, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "database migrations numbered digits", Limit: 5})
		if err != nil || len(found) == 0 || !strings.Contains(found[0].Memory.Content, rule) {
			t.Errorf("asked in so many words: %+v, %v", found, err)
		}
		if e, err := a.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", Root: root, ID: found[0].Memory.ID}); err != nil || !strings.Contains(e.Start.Why, "CLAUDE.md") {
			t.Errorf("explained: %+v, %v", e, err)
		}

		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- Number database migrations with five digits, 5.\n"), 0o644))
		expect("CLAUDE.md says something else", all)

		text, err := ruleblock.Parse("# Rules\n")
		if err != nil || !text.Add(found[0].Memory) {
			t.Fatal(err)
		}
		musttest.Do(t, os.WriteFile(file, []byte(strings.Replace(text.String(), rule, "see the guide", 1)), 0o644))
		expect("it stands in the block of rules, whatever its words are by now", onlyExplore)

		const old, newer = "the staging database listens on port 5432", "the staging database listens on port 6543"
		daemontest.Put(t, s, daemontest.Prompt(3, "Remember: "+old))
		daemontest.Ingested(t, a, daemontest.Prompt(4, "Remember: "+newer))
		musttest.Do(t, os.WriteFile(file, []byte("# Rules\n\n- The staging database listens on port 6543\n"), 0o644))
		for where, text := range injected() {
			if at := strings.Index(text, old); at >= 0 && !strings.Contains(text[:at], newer) {
				t.Errorf("CLAUDE.md has the newer of two ports, and %s tells the older one alone:\n%s", where, text)
			}
		}
	})
}
