package briefing_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func TestAnUnknownPurposeIsRefused(t *testing.T) {
	a, _, _ := daemontest.New(t)
	musttest.Is(t, memory.ErrInvalid, musttest.Err(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Purpose: "fun", Project: "p", Session: "s"})), "an unknown purpose")
}

// A subagent is briefed for its own task: the oldest one planned for its type in its session, each once.
func TestSubagentsAreBriefedForTheirTask(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: server.go listens on port 6543\nremember: lex.go holds the parser\nremember: theme.css has all colours"))
	brief := func(session, kind string, id int) string {
		return daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: session, Text: kind, Subagent: string(rune('a' + id))})
	}
	musttest.Same(t, "", brief("s2", "helper", 0), "without a task (-want +got)")
	a.Sessions.ExpectSubagent("s2", "helper", "Which port does server.go listen on?")
	a.Sessions.ExpectSubagent("s2", "explorer", "Which colours has theme.css?")
	a.Sessions.ExpectSubagent("s3", "helper", "Which colours has theme.css?")
	a.Sessions.ExpectSubagent("s2", "helper", "Does lex.go hold the parser?")
	a.Sessions.ExpectSubagent("s2", "helper", " \n")
	for i, c := range []struct{ session, kind, want string }{
		{"s2", "helper", "6543"},
		{"s2", "helper", "lex.go"},
		{"s2", "helper", ""},
		{"s2", "explorer", "theme.css"},
		{"s3", "helper", "theme.css"},
		{"s3", "explorer", ""},
	} {
		text := brief(c.session, c.kind, i+1)
		if !strings.Contains(text, c.want) || (c.want == "") != (text == "") {
			t.Errorf("%s in %s, question %d: told %q, want %q", c.kind, c.session, i, text, c.want)
		}
	}
	a.Sessions.ExpectSubagent("s2", "", "Which port does server.go listen on?") // of a teammate, who starts under any name
	if text := brief("s2", "mate", 20); !strings.Contains(text, "6543") {
		t.Errorf("a plan without a type: got %q", text)
	}
}

// A task is not treated as a prompt that somebody typed, whatever its words, and the rules come first for every type of subagent.
func TestTheRulesComeFirstForASubagent(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "Remember: the parser of the invoices reads dates, amounts and the names of the customers\n"+
		"Convention: the parser in parse.go never guesses the currency of invoices"))
	const task = "Extend the parser\nAlso read the dates of the invoices. The parser of the invoices is in parse.go, the names of the customers and " +
		"the amounts are read there, and the currency of the invoices is what is left."
	for i, kind := range []string{"general-purpose", "Explore", "Plan", "invoice-expert"} {
		a.Sessions.ExpectSubagent("s2", kind, task)
		text := daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: "s2", Text: kind, Subagent: string(rune('a' + i))})
		currency, note := strings.Index(text, "guesses the currency"), strings.Index(text, "reads dates")
		if currency < 0 || note < currency {
			t.Errorf("%s: told %q, want the rule first and the note behind it", kind, text)
		}
	}
}

const port = "6543"

var askPort = daemonapi.RecallParams{Purpose: daemonapi.ForRead, Session: "s2", File: "server.go"}

// ticking is a clock that moves by a second whenever it is looked at.
type ticking struct{ Seconds atomic.Int64 }

func (c *ticking) Now() time.Time {
	return daemontest.Noon.Add(time.Duration(c.Seconds.Add(1)) * time.Second)
}

// newPort is a daemon on a clock that moves, with one memory.
func newPort(t *testing.T) *daemontest.Fixture {
	t.Helper()
	a, _, _ := daemontest.New(t)
	clock := &ticking{}
	clock.Seconds.Store(3600) // after the events
	a.Now = clock.Now
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: server.go listens on port "+port))
	return a
}

func tells(t *testing.T, a *daemontest.Fixture, want bool, when string) {
	t.Helper()
	if text := daemontest.Recalled(t, a, askPort); strings.Contains(text, port) != want {
		t.Errorf("%s: told %q, want the port: %v", when, text, want)
	}
}

// TestTheStartAndTheFirstPromptRepeatNothing covers a client that starts both hooks at once.
func TestTheStartAndTheFirstPromptRepeatNothing(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: the staging database listens on port 6543"))
	for n := range 20 {
		id := fmt.Sprint("at once ", n)
		var both sync.WaitGroup
		var started, recalled daemonapi.ContextResult
		var startErr, recallErr error
		both.Go(func() {
			started, startErr = a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: id, Source: "startup", TokenBudget: 500})
		})
		both.Go(func() {
			recalled, recallErr = a.Briefing.Recall(t.Context(), daemonapi.RecallParams{
				Purpose: daemonapi.ForPrompt, Project: "p", Session: id, Text: "which port does the staging database listen on?", TokenBudget: 300, MaxLines: 3,
			})
		})
		both.Wait()
		if n := strings.Count(started.Text+recalled.Text, "6543"); startErr != nil || recallErr != nil || n != 1 {
			t.Fatalf("session %s has it %d times (%v, %v):\n%s\n%s", id, n, startErr, recallErr, started.Text, recalled.Text)
		}
	}
}

func starts(t *testing.T, a *daemontest.Fixture, source string, want bool) {
	t.Helper()
	result := musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: source, TokenBudget: 500}))(t)
	if strings.Contains(result.Text, port) != want {
		t.Errorf("start by %s: told %q, want the port: %v", source, result.Text, want)
	}
}

// now ingests a hook's event at the daemon's present time.
func now(t *testing.T, a *daemontest.Fixture, kind memory.EventKind) {
	t.Helper()
	e := daemontest.Event(0, kind)
	e.At = a.Now()
	e.ID, e.Session, e.Text = memory.NewEventID(e.At), "s2", "x"
	daemontest.Ingested(t, a, e)
}

// TestNothingIsRepeatedInASession has steps of session s2; behind those that are answered stands whether they have the port.
func TestNothingIsRepeatedInASession(t *testing.T) {
	for name, steps := range map[string]string{
		"by two prompts":                                        "prompt:yes prompt:no",
		"by the start and a prompt":                             "startup:yes prompt:no",
		"in a resumed session":                                  "prompt:yes resume:no prompt:no",
		"by a daemon that was restarted":                        "prompt:yes save restart prompt:no restart resume:no",
		"but after a compaction":                                "prompt:yes compacting compact:yes compacted prompt:no",
		"nor after a compaction and a restart":                  "prompt:yes compacting compact:yes compacted save restart prompt:no",
		"but after a compaction without a memory and a restart": "prompt:yes save compacting compacted restart prompt:yes",
		"nor after a compaction that was given up":              "prompt:yes save compacting restart prompt:no",
		"but what only a subagent was shown, after a restart":   "subagent:yes save restart prompt:yes",
		"but in another session":                                "prompt:yes other:yes",
	} {
		t.Run(name, func(t *testing.T) {
			a := newPort(t)
			for step := range strings.FieldsSeq(steps) {
				step, answer, _ := strings.Cut(step, ":")
				ask := askPort
				switch step {
				case "save":
					a.Sessions.Save(t.Context())
					continue
				case "restart":
					a = daemontest.Restarted(a)
					continue
				case "compacting", "compacted":
					now(t, a, map[string]memory.EventKind{"compacting": memory.EventCompacting, "compacted": memory.EventCompacted}[step])
					continue
				case "startup", "resume", "compact":
					starts(t, a, step, answer == "yes")
					continue
				case "subagent":
					ask.Subagent = "a1"
				case "other":
					ask.Session = "s3"
				}
				if text := daemontest.Recalled(t, a, ask); strings.Contains(text, port) != (answer == "yes") {
					t.Errorf("%s: got %q, want the port: %s", step, text, answer)
				}
			}
		})
	}
	t.Run("by a daemon that was restarted and asked for something else first", func(t *testing.T) {
		a := newPort(t)
		tells(t, a, true, "first")
		a.Sessions.Save(t.Context())
		a = daemontest.Restarted(a)
		daemontest.Ingested(t, a, daemontest.Prompt(9, "remember: the parser is in lex.go"))
		question := daemonapi.AnswerParams{FindParams: daemonapi.FindParams{Project: "p", Session: "s2", Text: "parser", Limit: 5}, TokenBudget: 500}
		if answer, err := a.Answers.Answer(t.Context(), question); err != nil || len(answer.Memories) != 1 {
			t.Fatalf("answered %+v, %v", answer, err)
		}
		tells(t, a, false, "after the restart")
	})
}

// A resumed conversation still has its earlier context: it is shown only later memories, and
// none for which its first start had no room.
func TestAResumedSessionIsShownNewMemoriesOnly(t *testing.T) {
	a := newPort(t)
	daemontest.Ingested(t, a, daemontest.Prompt(2, "remember: the parser is in lex.go"))
	now := func(session string, e memory.Event) {
		t.Helper()
		e.At, e.Session = a.Now(), session
		e.ID = memory.NewEventID(e.At)
		daemontest.Ingested(t, a, e)
	}
	start := func(source string, budget int) string {
		t.Helper()
		return musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: source, TokenBudget: budget}))(t).Text
	}
	first := start("startup", 62)
	if strings.Contains(first, port) == strings.Contains(first, "lex.go") {
		t.Fatalf("the start has %q, want one of two", first)
	}
	now("s2", daemontest.Event(0, memory.EventSessionStarted))
	now("s2", daemontest.Prompt(0, "go on please, and show me the result"))
	musttest.Same(t, "", start("resume", 500), "resumed, it gets (-want +got)")
	now("s3", daemontest.Prompt(0, "remember: the fonts are in type.css"))
	now("s2", daemontest.Prompt(0, "go on please, and show me the result once more"))
	now("s3", daemontest.Prompt(0, "remember: the colours are in theme.css"))
	if text := start("resume", 500); !strings.Contains(text, "type.css") || !strings.Contains(text, "theme.css") || strings.Contains(text, port) || strings.Contains(text, "lex.go") {
		t.Errorf("resumed after another session, it gets %q", text)
	}
	musttest.Same(t, "", start("resume", 500), "resumed again, it gets (-want +got)")
	if text := start("clear", 500); !strings.Contains(text, port) || !strings.Contains(text, "lex.go") || !strings.Contains(text, "theme.css") {
		t.Errorf("cleared, it gets %q", text)
	}
}

// The hooks of parallel tool calls ask at the same time.
func TestParallelHooksGetAMemoryOnceTogether(t *testing.T) {
	a := newPort(t)
	for n := range 8 {
		a := daemontest.Restarted(a)
		var shown atomic.Int32
		var asking sync.WaitGroup
		for range 8 {
			asking.Go(func() {
				ask := askPort
				ask.Project, ask.TokenBudget, ask.Session = "p", 500, fmt.Sprint("parallel ", n)
				result, err := a.Briefing.Recall(t.Context(), ask)
				if err != nil {
					t.Error(err)
				}
				if strings.Contains(result.Text, port) {
					shown.Add(1)
				}
			})
		}
		asking.Wait()
		if shown.Load() != 1 {
			t.Fatalf("shown %d times", shown.Load())
		}
	}
}

// A hook that has given up shows nothing, so its memories do not count as shown.
func TestAnAnswerThatIsTooLateDoesNotCount(t *testing.T) {
	a := newPort(t)
	late, cancel := context.WithCancel(t.Context())
	cancel()
	ask := askPort
	ask.Project, ask.TokenBudget = "p", 500
	if result, err := a.Briefing.Recall(late, ask); err == nil {
		t.Errorf("answered %+v to nobody", result)
	}
	begin := daemonapi.SessionContextParams{Project: "p", Session: askPort.Session, Source: "startup", TokenBudget: 800}
	if result, err := a.Briefing.SessionContext(late, begin); err == nil {
		t.Errorf("began with %+v for nobody", result)
	}
	tells(t, a, true, "in time")
}

// While the engine hangs, a start is answered from the caches of the daemon, although an event
// of its project is just being stored.
func TestAStartDoesNotWaitForAnEngineThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store, s := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: server.go listens on port "+port))
		begin := daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "startup", TokenBudget: 800}
		if got, err := a.Briefing.SessionContext(t.Context(), begin); err != nil || !strings.Contains(got.Text, port) {
			t.Fatalf("got %q, %v", got.Text, err)
		}
		store.Hang = make(chan struct{})
		daemontest.Put(t, s, daemontest.Command(2, "s1", memory.EventCommandSucceeded, "go vet", ""))
		go func() { _, _ = a.Intake.Ingest(t.Context()) }()
		synctest.Wait() // until it hangs
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		begin.Session = "s3"
		if got, err := a.Briefing.SessionContext(ctx, begin); err != nil || !strings.Contains(got.Text, port) {
			t.Errorf("got %q, %v", got.Text, err)
		}
		close(store.Hang)
		synctest.Wait() // until all is stored
	})
}

// The latest injections are stored before the daemon ends, or the next one would repeat them.
func TestAnEndingServiceSavesItsInjections(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	daemontest.Put(t, r.Spool, daemontest.Prompt(1, "remember: server.go listens on port "+port))
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	ask := askPort
	ask.Project, ask.TokenBudget, ask.WaitMS = "p", 500, 60_000
	if result, err := daemonapi.MethodRecall.Ask(t.Context(), r.Send, ask); err != nil || !strings.Contains(result.Text, port) {
		t.Fatalf("told %+v, %v", result, err)
	}
	r.End()
	tells(t, daemontest.Restarted(r.Daemon), false, "after the restart")
}

// A prompt that plainly states a rule gets a hint that the model can store it in better words,
// within the budget; no other prompt gets one, nor does a prompt that itself asks to remember.
func TestAStrongStatementComesWithAHint(t *testing.T) {
	const hint = "<surrealdb-memory-hint>"
	a, _, _ := daemontest.New(t)
	a.Briefing.Counter = daemontest.ExactCounter(t)
	for _, test := range []struct {
		name, prompt string
		budget       int
		off, want    bool
	}{
		{"a rule", "no, from now on we never mock the database, because the mocks hid a bug", 400, false, true},
		{"the hint is short", "no, from now on we never mock the database, because the mocks hid a bug", 32, false, true},
		{"a literal", "let the names of variables end with '_w' in this repo", 400, false, true},
		{"a question", "why is the build slow today?", 400, false, false},
		{"kept as it asks", "Remember: we never mock the database, from now on", 400, false, false},
		{"switched off", "no, from now on we never mock the database, because the mocks hid a bug", 400, true, false},
		{"no room", "no, from now on we never mock the database, because the mocks hid a bug", 3, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, err := a.Briefing.Recall(t.Context(), daemonapi.RecallParams{Project: "p", Session: "s", Purpose: daemonapi.ForPrompt, Text: test.prompt, TokenBudget: test.budget, Hint: !test.off})
			if err != nil || strings.Contains(answer.Text, hint) != test.want {
				t.Errorf("told %q, %v", answer.Text, err)
			}
			if count := a.Briefing.Counter.Count(answer.Text); count > test.budget || answer.Tokens < count {
				t.Errorf("%d tokens of %d, reported as %d", count, test.budget, answer.Tokens)
			}
		})
	}
}

// A start has the model store what was said in passing, unless a program reads its answers.
func TestAStartAsksForWhatWasSaid(t *testing.T) {
	a, _, _ := daemontest.New(t)
	e, ended := daemontest.Prompt(1, "from now on we never mock the database"), daemontest.Event(2, memory.EventTurnEnded)
	e.Session, ended.Session = "s0", "s0"
	daemontest.Ingested(t, a, e, ended)
	for _, isProgram := range []bool{false, true} {
		got, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: fmt.Sprint(isProgram), Source: "startup", TokenBudget: 400, Program: isProgram})
		if err != nil || !strings.Contains(got.Text, "never mock") || strings.Contains(got.Text, "store_memory") == isProgram {
			t.Errorf("a program listens: %t: %q, %v", isProgram, got.Text, err)
		}
	}
}

// A prompt gets the memories that fit it and are not in the context yet, even if the best one is. A newer one with the same words comes first;
// if it is in the context, the older one's line names it.
func TestAPromptGetsTheRest(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	newer := daemontest.Kept(t, a, daemontest.Noted(2, "the replica of the staging database listens on port 6544"))
	daemontest.Kept(t, a, daemontest.Noted(3, "the staging database is restored every Sunday"))
	ask := func() string {
		return daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForPrompt, Text: "which port does the staging database listen on?", MaxLines: 1})
	}
	for _, want := range []string{"port 6544\n", "port 6543 (older than " + memory.ShortID(newer.ID)[:6] + ")\n", ""} {
		if text := ask(); !strings.Contains(text, want) || (text == "") != (want == "") {
			t.Errorf("given %q, want %q", text, want)
		}
	}
}

// An older fact whose title differs from a newer one's only in a value comes with the newer one, or names it if it is in the context.
func TestAnOlderRivalIsNotToldAlone(t *testing.T) {
	for purpose, p := range map[string]daemonapi.RecallParams{
		"prompt":  {Purpose: daemonapi.ForPrompt, Text: "which port does the staging database listen on?", MaxLines: 3},
		"file":    {Purpose: daemonapi.ForRead, File: "config/db.yml"},
		"command": {Purpose: daemonapi.ForCommand, Command: "make db-connect"},
	} {
		for _, isStarted := range []bool{true, false} {
			a, _, _ := daemontest.New(t)
			for i, port := range []string{"5432", "6543"} {
				e := daemontest.Stored(i+1, "The staging database listens on port "+port+".")
				e.Title, e.Cues = "Staging DB port is "+port, []string{"staging database port", "config/db.yml", "make db-connect"}
				daemontest.Kept(t, a, e)
			}
			p.Session, p.TokenBudget = "s9", 400
			var text string
			if isStarted {
				text = daemontest.StartOf(t, a, "s9")
			}
			text += daemontest.Recalled(t, a, p)
			at, first := strings.Index(text, "port 5432.”"), strings.Index(text, "port 6543.”")
			if first < 0 || at >= 0 && (at < first || isStarted && !strings.Contains(text[at:], "(older than ")) {
				t.Errorf("%s, after a start: %v: %s", purpose, isStarted, text)
			}
		}
	}
}

// TestAFileGetsTheUsersNewestWordsFirst: before a file is read, what takes an older line about it back stands above the line.
func TestAFileGetsTheUsersNewestWordsFirst(t *testing.T) {
	const older, newer = "never edit schema.sql by hand", "Forget what I said about schema.sql."
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "Remember: "+older), daemontest.Prompt(2, newer))
	text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForRead, File: "schema.sql"})
	if at := strings.Index(text, newer); at < 0 || at > strings.Index(text, older) {
		t.Errorf("the file gets %q", text)
	}
}

// TestTheLastSessionTellsNothingTakenBack: a sentence that the user forgot or edited is gone from the record of the last session, too.
func TestTheLastSessionTellsNothingTakenBack(t *testing.T) {
	const rule = "the otter service always speaks gRPC on port 7711"
	for prompt, words := range map[string]string{
		"Fix the tests. The otter service always speaks gRPC on port 7711.": "done.", "Remember: " + rule + "\n\nfix the tests": "Noted: " + rule + ".",
	} {
		for name, change := range map[string]memory.Change{"forgotten": {Status: memory.StatusArchived}, "edited": {Content: "the otter service speaks REST"}} {
			a, _, _ := daemontest.New(t)
			ended := daemontest.Event(3, memory.EventTurnEnded)
			ended.Text = words
			daemontest.Ingested(t, a, daemontest.Prompt(1, prompt), daemontest.Edit(2, "s1", "a.go"), ended, daemontest.Event(4, memory.EventSessionEnded))
			if text := daemontest.StartOf(t, a, "s2"); !strings.Contains(text, "7711") || !strings.Contains(text, "edited a.go") {
				t.Fatalf("%q: the start before is %q", prompt, text)
			}
			rows := musttest.Get(a.Store.Rows(t.Context(), memory.Page{Project: "p", Status: memory.StatusActive, Limit: 2}))(t)
			daemontest.Changed(t, a, rows[0].Memory.ID, 2, change)
			if text := daemontest.StartOf(t, a, "s3"); strings.Contains(text, "7711") || !strings.Contains(text, "edited a.go") {
				t.Errorf("%q, %s: the start is %q", prompt, name, text)
			}
		}
	}
}

// The command that completes work brings the rules for it, two at most and once a session: those with a cue that names it, and the user's
// own. Other commands, and what is no rule, bring nothing.
func TestACommandThatCompletesWorkBringsItsRules(t *testing.T) {
	const changelog, users, finding = "Each change has a line in the changelog.", "we never commit generated files", "The first commit was made by a bot."
	brought := map[string][]string{
		"git add -A && git commit -m 'x'": {changelog, users},
		"git commit --amend --no-edit":    {changelog, users},
		"git push origin main":            {changelog},
		"gh pr create --title x --body y": {changelog},
		"gh release create v1 --notes x":  {changelog},
		"git status":                      nil,
		"git stash push":                  nil,
		"gh pr view 7":                    nil,
		"grep -rn 'git commit' scripts":   nil,
	}
	a, _, s := daemontest.New(t)
	daemontest.Put(t, s, daemontest.Ended("s0", users)...)
	for i, cue := range []string{"commit a change", "before pushing", "open a pull request", "cut the release"} {
		e := daemontest.Stored(2+i, changelog)
		e.RememberedKind, e.Cues, e.Session = memory.KindConvention, []string{cue}, "s0"
		daemontest.Kept(t, a, e)
	}
	other := daemontest.Stored(8, finding)
	other.Cues, other.Session = []string{"who made the first commit"}, "s0"
	daemontest.Kept(t, a, other)
	for command, want := range brought {
		ask := daemonapi.RecallParams{Session: "first " + command, Purpose: daemonapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: 300}
		text := daemontest.Recalled(t, a, ask)
		if strings.Count(text, "\n- ") != len(want) {
			t.Errorf("%s brings\n%s", command, text)
		}
		for _, rule := range want {
			if !strings.Contains(text, rule) {
				t.Errorf("%s does not bring %q, but\n%s", command, rule, text)
			}
		}
		musttest.Same(t, "", daemontest.Recalled(t, a, ask), "%s again brings (-want +got)", command)
	}
	for i := range 4 {
		e := daemontest.Stored(20+i, fmt.Sprintf("Rule %c holds for commits.", 'a'+i))
		e.RememberedKind, e.Cues, e.Session = memory.KindDecision, []string{"git commit"}, "s0"
		daemontest.Kept(t, a, e)
	}
	for command := range brought {
		ask := daemonapi.RecallParams{Session: "second " + command, Purpose: daemonapi.ForCommand, Command: memory.CommandKey(command), TokenBudget: 300}
		if text := daemontest.Recalled(t, a, ask); strings.Count(text, "\n- ") > 2 {
			t.Errorf("%s brings more than two\n%s", command, text)
		}
	}
}

// A content that was shown, at the start or later, is not injected again in other words from any other memory.
func TestNothingIsRepeatedInOtherWords(t *testing.T) {
	const first, again, more = "the nightly export leaves guests out on purpose",
		"the nightly exports leave guests out, on purpose", "the nightly export leaves guests out since release 31, by the flag skip-guests"
	ask := func(t *testing.T, a *daemontest.Fixture, question string) string {
		t.Helper()
		return daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Session: "s2", Text: question, MaxLines: 3})
	}
	t.Run("in one answer", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first), daemontest.Prompt(2, "remember: "+again), daemontest.Prompt(3, "remember: "+more))
		if text := ask(t, a, "does the nightly export leave guests out on purpose?"); strings.Count(text, "\n- [") != 2 || !strings.Contains(text, "skip-guests") {
			t.Errorf("got %q, want two of the three", text)
		}
	})
	t.Run("in one start", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first), daemontest.Prompt(2, "remember: "+again), daemontest.Prompt(3, "remember: "+more))
		start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "startup", TokenBudget: 500})
		if err != nil || strings.Count(start.Text, "guests") != 3 || !strings.Contains(start.Text, "skip-guests") {
			t.Errorf("the start has %q, %v, want two of the three", start.Text, err)
		}
	})
	t.Run("after the start", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		daemontest.Ingested(t, a, daemontest.Prompt(1, "remember: "+first))
		start, err := a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "startup", TokenBudget: 500})
		if err != nil || !strings.Contains(start.Text, first) {
			t.Fatalf("the start has %q, %v", start.Text, err)
		}
		daemontest.Ingested(t, a, daemontest.Prompt(2, "remember: "+again))
		const close = "are guests left out of every nightly export?"
		musttest.Same(t, "", ask(t, a, close), "told")
		a.Sessions.Save(t.Context())
		musttest.Same(t, "", ask(t, daemontest.Restarted(a), close), "after a restart it is told (-want +got)")
	})
}

// A rule about a thing does not say that it is to be done: only a todo of the same words repeats a todo.
func TestARuleHidesNoTodo(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Ingested(t, a, daemontest.Prompt(1, "Convention: flour is never ordered on mondays"), daemontest.Prompt(2, "Todo: order the flour"), daemontest.Prompt(3, "Todo: order flour"))
	start := daemontest.StartOf(t, a, "s9")
	if !strings.Contains(start, "never ordered on mondays") || strings.Count(start, "order the flour")+strings.Count(start, "order flour") != 1 {
		t.Errorf("the start is\n%s", start)
	}
}

// A subagent has none of its parent's context, so it gets the user's rules, also those of which
// no word is in its task, whatever its type.
func TestASubagentGetsTheUsersRules(t *testing.T) {
	a, _, _ := daemontest.New(t)
	const cents, snake = "amounts are integer cents", "snake_case"
	turn := func(n int, session, asked, answer string) {
		prompt, ended := daemontest.Prompt(n, asked), daemontest.Event(n+1, memory.EventTurnEnded)
		prompt.Session, ended.Session, ended.Text = session, session, answer
		daemontest.Ingested(t, a, prompt, ended)
	}
	turn(1, "s0", "Remember: "+cents+", never floats", "I will.")
	turn(3, "s0", "From now on we write names in the database in snake_case, everywhere.", "Noted.")
	turn(5, "s1", "Implement GET /customers with paging", "GET /customers is implemented with paging; the list of customers is JSON.")
	turn(7, "s1", "Implement GET /orders with paging", "GET /orders is implemented with paging; the list of orders is JSON.")
	const task = "Implement GET /invoices in api/invoices.go: a list of invoices with paging, amounts as JSON, like GET /orders and GET /customers."
	for _, kind := range []string{"general-purpose", "invoice-expert", "Explore"} {
		a.Sessions.ExpectSubagent("s2", kind, task)
		text := daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: "s2", Text: kind, Subagent: kind})
		if !strings.Contains(text, snake) || !strings.Contains(text, cents) {
			t.Errorf("%s got\n%s", kind, text)
		}
	}
}

// In a distilled project a subagent gets the facts for every session and those that fit its
// task in full; of the others it sees the titles in the areas of those that fit.
func TestASubagentGetsTheFactsOfItsTask(t *testing.T) {
	a, _, _ := daemontest.New(t)
	batch := memory.Batch{
		Projects: []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: daemontest.Noon}},
		Sessions: []memory.Session{{ID: "s0", Project: "p", State: memory.SessionActive, StartedAt: daemontest.Noon, LastEventAt: daemontest.Noon}},
	}
	fact := func(area, title, text string, everywhere bool, cues ...string) {
		m := memory.Memory{
			Kind: memory.KindConvention, Content: text, Title: title, Area: area, Cues: cues, Everywhere: everywhere, Project: "p",
			Scope: memory.ScopeProject, Type: memory.TypeSemantic, Status: memory.StatusActive, Importance: memory.FactImportance(2), Session: "s0",
			CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(-time.Duration(len(batch.Memories)) * time.Minute), Source: memory.SourceAssistant,
			Tags: []string{memory.TagModel, memory.TagUsersWords},
		}
		m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		batch.Memories = append(batch.Memories, m)
	}
	fact("api", "Amounts are integer cents", "In JSON all amounts of money are integer cents, never floats.", true, "money in an answer")
	fact("invoices", "Void invoices stay in lists", "A list of invoices has the void ones, too, marked by their status.", false, "implement a list of invoices", "GET /invoices")
	fact("invoices", "Invoice numbers have no gaps", "The numbers of invoices are assigned on posting, so that there are no gaps.", false, "post an entry to the ledger")
	fact("deploys", "Never deploy on Fridays", "Nobody is there to roll back at the weekend, so nothing is deployed on a Friday.", false, "deploy to production")
	musttest.Do(t, a.Store.Ingest(t.Context(), batch))
	const task = "Implement GET /invoices in api/invoices.go: a list of invoices with paging, as JSON."
	full := func(text string) string { return "“" + text + "”" }
	a.Sessions.ExpectSubagent("s2", "general-purpose", task)
	text := daemontest.Recalled(t, a, daemonapi.RecallParams{Purpose: daemonapi.ForSubagent, Session: "s2", Text: "general-purpose", Subagent: "a1"})
	for part, is := range map[string]bool{
		full(batch.Memories[0].Content): true, full(batch.Memories[1].Content): true,
		batch.Memories[2].Title: false, batch.Memories[2].Content: false, batch.Memories[3].Title: false,
	} {
		if strings.Contains(text, part) != is {
			t.Errorf("%q is there: %v, want %v:\n%s", part, !is, is, text)
		}
	}
}
