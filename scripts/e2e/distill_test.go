//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// The words of the distilled session, and the fake model's answer.
const (
	exportRule  = "We must never join the export on the account, guests have none"
	exportFact  = "Export queries must not join on the account, because guests have none."
	exportFound = "guests have no account"
)

// distills switches distillation on for a user, with the client under test as the runner, no schedule, and more settings as KEY=VALUE.
func (u *User) distills(t *testing.T, more ...string) {
	t.Helper()
	u.mayDistil(t)
	u.configure(t, append([]string{"distill.enabled=true"}, more...)...)
}

// mayDistil lets the client under test be the runner as soon as the user agrees, and not by the schedule.
func (u *User) mayDistil(t *testing.T) {
	t.Helper()
	u.Env = append(u.Env, "MEMORY_DISTILL_KEY="+DummyKey)
	u.configure(t, "distill.command="+u.Binary, "distill.url="+u.api.URL(), "distill.every=0s")
}

// isAgreed reports whether the user has agreed to distillation, as the daemon that runs has it.
func (u *User) isAgreed(t *testing.T) bool {
	t.Helper()
	var spent daemonapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	return spent.Status.Enabled
}

// distillations are the requests by which a model was asked to distil.
func distillations(api *FakeAPI) []Request {
	return slices.DeleteFunc(api.Requests(), func(r Request) bool {
		return r.Kind != KindDistillation
	})
}

// written is the structured output of a model that distils. The client refuses one that
// lacks a field of the schema.
func written(facts ...map[string]any) Step {
	for _, fact := range facts {
		for field, usual := range map[string]any{"cues": []string{}, "importance": 2, "everywhere": false, "title": "", "area": "", "ends": []string{}} {
			if _, given := fact[field]; !given {
				fact[field] = usual
			}
		}
	}
	return Step{
		Usage: &Usage{InputTokens: 700, CacheReadInputTokens: 50, OutputTokens: 60},
		Content: []Block{ToolUse("StructuredOutput", map[string]any{
			"summary": map[string]any{"request": "A list for the export", "investigated": "", "learned": exportFound, "completed": "", "next_steps": ""},
			"ended":   []any{},
			"facts":   append([]map[string]any{}, facts...),
		})},
	}
}

func exporting(t *testing.T, u *User, api *FakeAPI, distil ...Step) Result {
	t.Helper()
	api.Script("export",
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "export.sql"), "content": "select 1\n"}),
		Say("The export joins on the session now, so that guests are in it."),
	)
	api.Distil(distil...)
	run := u.Run(t.Context(), exportRule+"\n\nPlease write the export. SCRIPT:export", "--allowedTools", "Write")
	requireGoodRun(t, run, "SessionStart:startup", "PostToolUse:Write", "SessionEnd:other")
	return run
}

func TestASessionIsDistilledByTheRealClient(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t)
	run := exporting(t, u, api, written(map[string]any{
		"text": exportFact, "kind": "convention", "quotes": []string{exportRule}, "about": "", "relation": "",
	}))
	u.stored(t, run.SessionID)
	var result daemonapi.DistillResult
	u.memory(t, &result, "distill", run.SessionID) // the daemon may have begun by itself: then it is waited for
	asked := distillations(api)
	if len(asked) != 1 {
		t.Fatalf("the model was asked %d times: %+v", len(asked), result)
	}
	if !strings.Contains(asked[0].Text(), exportRule) || len(asked[0].MemoryBlocks()) > 0 || strings.Contains(asked[0].Text(), "select 1") {
		t.Errorf("the model was asked\n%s", asked[0].Text())
	}
	for _, tool := range asked[0].Tools {
		if tool.Name != "StructuredOutput" && tool.Name != "DeferredToolPlaceholder" {
			t.Errorf("the model was offered %s", tool.Name)
		}
	}
	record := u.stored(t, run.SessionID)
	want := memory.Digest{
		Request: "A list for the export", Learned: exportFound, FilesModified: []string{"export.sql"}, Source: memory.SourceAssistant,
	}
	musttest.Same(t, want, record.Session.Summary.Digest, "the digest")
	if got := seen(record, memory.KindConvention); !slices.Contains(got, exportFact) {
		t.Errorf("the session's conventions are %q", got)
	}
	if got := seen(record, memory.KindNote); !slices.Contains(got, exportRule) {
		t.Errorf("the user's sentences are %q", got)
	}
	var spent daemonapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	if len(spent.Totals) != 1 || spent.Totals[0].Calls != 1 || spent.Totals[0].Input != 750 || spent.Totals[0].Output != 60 || spent.Totals[0].USD <= 0 {
		t.Errorf("spent is %+v", spent.Totals)
	}
	var sessions []memory.Session
	u.memory(t, &sessions, "sessions")
	musttest.Same(t, 1, len(sessions), "how many sessions there are: distilling may not be captured as one: %+v", sessions)
}

func TestWithoutTheSwitchTheClientIsNotStarted(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	run := exporting(t, u, api)
	u.stored(t, run.SessionID)
	u.memory(t, nil, "distill", "--dry-run", run.SessionID)
	u.memory(t, nil, "distill", "--estimate", "100")
	musttest.Same(t, 0, len(distillations(api)), "how often the model was asked")
	var spent daemonapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	if len(spent.Totals) != 0 || spent.Status.Enabled {
		t.Errorf("spent is %+v", spent)
	}
}

// queued waits until the row of a session in the queue is as it should be.
func (u *User) queued(t *testing.T, session, what string, is func(memory.Distillation) bool) memory.Distillation {
	t.Helper()
	store := u.store(t)
	var row memory.Distillation
	await(t, time.Minute, what, func() bool {
		found, err := store.Distillations(t.Context(), memory.DistillationQuery{
			Sessions: []string{session},
			States: []memory.DistillationState{
				memory.DistillationWaiting, memory.DistillationRunning, memory.DistillationDone, memory.DistillationDead,
			},
		})
		if err != nil || len(found) == 0 {
			return false
		}
		row = found[0]
		return is(row)
	})
	return row
}

func isDone(row memory.Distillation) bool { return row.State == memory.DistillationDone }

// runners are the processes that distil for the user: clients under test, and their children.
func (u *User) runners() []int {
	silenced := processesWith("MEMORY_DISABLED=true")
	return slices.DeleteFunc(processesWith("CLAUDE_CONFIG_DIR="+u.Config), func(pid int) bool { return !slices.Contains(silenced, pid) })
}

func (u *User) requireNoRunner(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stopLimit)
	defer cancel()
	for _, pid := range awaitGone(ctx, u.runners) {
		t.Errorf("a runner is left: %s", describe(pid))
	}
}

// The end of a session has it distilled without anybody asking, and one that was compacted in parts.
func TestTheEndOfASessionHasItDistilled(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t)
	api.Distil(written(), written())
	api.Script("carrier", Say("The client of the carrier in ship/client.go knows which API to call, and the tests of it pass."))
	const before, after = "The carrier's first API drops the street number.", "The carrier's second API is the one to use."
	run := u.Chat(t.Context(), []string{before + " SCRIPT:carrier", "/compact", after + " SCRIPT:carrier"})
	requireGoodRun(t, run, "SessionStart:startup", "SessionStart:compact", "SessionEnd:other")
	u.stored(t, run.SessionID)
	row := u.queued(t, run.SessionID, "the session to be distilled", isDone)
	asked := distillations(api)
	if len(asked) != 2 || !strings.Contains(asked[0].Text(), before) || strings.Contains(asked[1].Text(), before) || !strings.Contains(asked[1].Text(), after) {
		t.Fatalf("%d questions, after %s: %+v", len(asked), row.Trigger, asked)
	}
	u.requireNoRunner(t)
}

// Sessions that ended while the switch was off wait for the schedule or an idle teammate: starting the daemon makes no
// call.
func TestTheScheduleFindsSessions(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	run := exporting(t, u, api, written())
	u.stored(t, run.SessionID)
	u.memory(t, nil, "daemon", "stop")
	u.distills(t, "distill.every=1s")
	u.memory(t, nil, "daemon", "start")
	musttest.Same(t, "catch_up", u.queued(t, run.SessionID, "the session to be distilled", isDone).Trigger, "it was distilled because of")
	musttest.Same(t, 1, len(distillations(api)), "how often the model was asked")
	u.requireNoRunner(t)
}

func TestAnIdleTeammateHasSessionsDistilled(t *testing.T) {
	u, api := newUser(t)
	run := exporting(t, u, api, written())
	u.stored(t, run.SessionID)
	u.memory(t, nil, "daemon", "stop")
	u.distills(t, "hooks.teammate_idle.interval=1s")
	u.Env = append(u.Env, "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1")
	api.Script("team",
		Call("Agent", map[string]any{"description": "Look", "prompt": "Look around. SCRIPT:mate", "subagent_type": "general-purpose", "name": "mate"}),
		Say("I have a teammate."), Say("Noted."), Say("Noted again."))
	api.Script("mate", Say("The mate looked."), Say("The mate looked again."))
	c := u.talk(t.Context(), t)
	await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
	musttest.Same(t, 0, len(distillations(api)), "how often the model was asked")
	c.typed("SCRIPT:team please", "SCRIPT:team")
	await(t, 20*time.Second, "the teammate to be idle", func() bool { return c.logged(idleDone) > 0 })
	u.queued(t, run.SessionID, "the session to be distilled", isDone)
	c.end()
}

// fragment answers with the beginning of a stream and then calls then.
func fragment(then func(w http.ResponseWriter, r *http.Request)) Step {
	return Step{Answer: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		writeEvent(w, "message_start", map[string]any{"message": newAnswer("haiku", Say(""))})
		writeEvent(w, "content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
		then(w, r)
	}}
}

// wordsWithoutEnd writes text until the client is gone.
func wordsWithoutEnd(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		writeEvent(w, "content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": strings.Repeat("and so on ", 1000)}})
		if flusher, is := w.(http.Flusher); is {
			flusher.Flush()
		}
	}
}

// After any failure, the session stays as it was, the try is counted, the reason is shown, and no process is left.
func TestARunnerThatFailsLeavesTheSessionAsItWas(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a very long answer ", 5000)
	for name, test := range map[string]struct {
		step     Step
		settings []string
		stops    bool   // the whole queue, and not this session alone
		reason   string // or a part of it
	}{
		"refuses":   {step: Say("I cannot help with that."), reason: "answer"},
		"malformed": {step: Step{Content: []Block{ToolUse("StructuredOutput", map[string]any{"answer": 42})}}, reason: ""},
		"fails":     {step: Step{Error: &APIError{500, "api_error", "broken"}}, reason: ""},
		"broken": {
			step:     fragment(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			settings: []string{"distill.time_limit=15s"}, reason: "",
		},
		"slow": {
			step:     fragment(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
			settings: []string{"distill.time_limit=4s"}, reason: "distill.time_limit",
		},
		"endless":    {step: fragment(wordsWithoutEnd), settings: []string{"distill.time_limit=4s"}, reason: "distill.time_limit"},
		"over-long":  {step: written(map[string]any{"text": long, "kind": "note", "quotes": []string{exportRule}, "about": "", "relation": ""}), reason: "bytes"},
		"crashes":    {step: Say("see below"), reason: ""},
		"is missing": {step: Say("nobody asks"), settings: []string{"distill.command=/there/is/no/client"}, stops: true, reason: "distill.command"},
		"is refused": {step: Step{Error: &APIError{401, "authentication_error", "invalid x-api-key"}}, stops: true, reason: "is not signed in"},
	} {
		t.Run(name, func(t *testing.T) {
			u, api := newUser(t)
			u.distills(t, append([]string{"distill.time_limit=30s"}, test.settings...)...)
			if name == "crashes" {
				test.step = Step{Answer: func(_ http.ResponseWriter, r *http.Request) {
					for _, pid := range u.runners() {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
					<-r.Context().Done()
				}}
			}
			run := exporting(t, u, api, test.step)
			u.stored(t, run.SessionID)
			row := u.queued(t, run.SessionID, "the try to be over", func(row memory.Distillation) bool {
				return row.State == memory.DistillationWaiting && row.Reason != ""
			})
			if !strings.Contains(row.Reason, test.reason) || (row.Tries == 0) != test.stops {
				t.Errorf("the queue has %+v", row)
			}
			t.Logf("%s: %s", name, row.Reason)
			u.requireNoRunner(t)
			record := u.stored(t, run.SessionID)
			if len(sessionEvents(record, memory.EventDistilled)) != 0 || len(seen(record, memory.KindConvention)) != 0 {
				t.Errorf("kept is %q", sessionEvents(record, memory.EventDistilled))
			}
			if got := seen(record, memory.KindNote); len(got) != 1 || len(record.Prompts) != 1 {
				t.Errorf("of the session are left the sentences %q, the prompts %q", got, texts(record.Prompts))
			}
			var spent daemonapi.SpendResult
			u.memory(t, &spent, "distill", "spend")
			if len(spent.Totals) != 1 || spent.Totals[0].Calls != 1 || spent.Totals[0].Failed != 1 || (spent.Status.Stopped != "") != test.stops {
				t.Errorf("%d requests, spent is %+v", len(distillations(api)), spent)
			}
		})
	}
}

// Facts that a model invents are dropped, with the reason; its summary is stored.
func TestWhatAModelInventsIsDropped(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t)
	run := exporting(t, u, api, written(map[string]any{
		"text": "We deploy on Fridays, always.", "kind": "note", "quotes": []string{"nobody said these words"}, "about": "", "relation": "",
	}))
	u.stored(t, run.SessionID)
	row := u.queued(t, run.SessionID, "the session to be distilled", isDone)
	if len(row.Notes) != 1 || !strings.Contains(row.Notes[0], "quotes no words") {
		t.Errorf("the queue has %+v", row)
	}
	record := u.stored(t, run.SessionID)
	if got := seen(record, memory.KindNote); !slices.Equal(got, []string{exportRule}) || record.Session.Summary.Digest.Learned != exportFound {
		t.Errorf("kept is %q, %+v", got, record.Session.Summary.Digest)
	}
}

// The limit of a day is reached between two parts: the first is stored, the rest waits, and status shows why.
func TestTheLimitOfADayIsReachedBetweenParts(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t, "distill.day_tokens=12000")
	step := written()
	step.Usage = &Usage{InputTokens: 5900, OutputTokens: 100}
	api.Distil(step)
	api.Script("list", Say("The query of the list joined twice on the same table, so that rows were there twice; it joins once now."))
	var prompts []string
	for n := range 24 { // more than the tokens of one call
		prompts = append(prompts, strings.Repeat(fmt.Sprintf("List %d is wrong in this place and in that place. ", n), 32)+"SCRIPT:list")
	}
	run := u.Chat(t.Context(), prompts)
	u.stored(t, run.SessionID)
	row := u.queued(t, run.SessionID, "the limit to be reached", func(row memory.Distillation) bool {
		return row.State == memory.DistillationWaiting && row.Reason != ""
	})
	if !strings.Contains(row.Reason, "distill.day_tokens") || row.Tries != 0 || !row.NextTry.After(time.Now()) {
		t.Errorf("the queue has %+v", row)
	}
	record := u.stored(t, run.SessionID)
	var spent daemonapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	if len(distillations(api)) != 1 || len(sessionEvents(record, memory.EventDistilled)) != 1 || spent.Status.Today != 6000 || spent.Status.Stopped == "" {
		t.Errorf("%d requests, kept is %q, spent is %+v", len(distillations(api)), sessionEvents(record, memory.EventDistilled), spent)
	}
	musttest.Same(t, len(prompts), len(record.Prompts), "how many prompts of the session are left")
	u.requireNoRunner(t)
}

// Sessions that end at the same time are distilled one after the other, each by a client that ends before the next
// starts, and the recorded cost is the charged one. The client under test needed six minutes for a hundred.
func TestSessionsThatEndAtOnceAreDistilledOneAtATime(t *testing.T) {
	t.Parallel()
	const tokens = 810 // that each call is charged
	t.Run("ten by the client under test", func(t *testing.T) {
		u, api := newUser(t)
		var charged, running, most atomic.Int64
		step := written()
		api.Distil(Step{Answer: func(w http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			charged.Add(tokens)
			newAnswer("haiku", step).stream(w)
		}})
		u.distills(t)
		u.endAtOnce(t, 10, func() int64 { return charged.Load() })
		musttest.Same(t, 1, most.Load(), "how many requests ran at once")
	})
	t.Run("a hundred by one that only prints", func(t *testing.T) {
		u, _ := newUser(t)
		calls, client := filepath.Join(u.Home, "calls"), filepath.Join(u.Home, "client")
		answer := must(json.Marshal(map[string]any{
			"type": "result", "structured_output": written().Content[0].Input, "usage": Usage{InputTokens: 750, OutputTokens: 60},
		}))
		script := "#!/bin/sh\ncat >/dev/null\necho called >>" + calls + "\ncat <<'END'\n" + string(answer) + "\nEND\n"
		musttest.Do(t, plugintest.WriteProgram(client, []byte(script)))
		u.distills(t, "distill.command="+client)
		u.endAtOnce(t, 100, func() int64 { return int64(tokens * strings.Count(string(must(os.ReadFile(calls))), "called\n")) })
	})
}

// endAtOnce lets sessions end at once and waits until all are distilled. charged are the tokens that a runner was
// charged until now.
func (u *User) endAtOnce(t *testing.T, sessions int, charged func() int64) {
	t.Helper()
	u.configure(t, "distill.day_tokens=100000000")
	run := u.Run(t.Context(), exportRule) // it starts the daemon, too
	u.stored(t, run.SessionID)
	into, now := spool.New(filepath.Join(u.MemoryHome, "spool")), time.Now()
	for i := range sessions {
		for n, fill := range []func(*memory.Event){
			func(e *memory.Event) { e.Kind, e.Prompt = memory.EventPrompt, exportRule },
			func(e *memory.Event) {
				e.Kind, e.Text = memory.EventTurnEnded, "The export joins on the session now, so that guests are in it."
			},
			func(e *memory.Event) { e.Kind, e.Reason = memory.EventSessionEnded, "other" },
		} {
			at := now.Add(time.Duration(n) * time.Millisecond)
			e := memory.Event{ID: memory.NewEventID(at), At: at, Session: fmt.Sprint("ended-", i), Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Dir: "/p"}
			fill(&e)
			musttest.Do(t, into.Put(e))
		}
	}
	u.memory(t, nil, "daemon", "ingest")
	store, begun := u.store(t), time.Now()
	await(t, 5*time.Minute, "all sessions to be distilled", func() bool {
		if clients := roots(u.runners()); len(clients) > 1 {
			t.Errorf("%d clients at once", len(clients))
		}
		done, err := store.Distillations(t.Context(), memory.DistillationQuery{States: []memory.DistillationState{memory.DistillationDone}, Limit: 2 * sessions})
		return err == nil && len(done) == sessions+1
	})
	t.Logf("%d sessions were distilled in %v", sessions, time.Since(begun).Round(time.Second))
	u.requireNoRunner(t)
	var spent daemonapi.SpendResult
	u.memory(t, &spent, "distill", "spend")
	if int64(spent.Status.Today) != charged() || spent.Status.Today < 810*sessions {
		t.Errorf("charged are %d tokens, noted %d", charged(), spent.Status.Today)
	}
}

// roots are those of some processes whose parents are not among them.
func roots(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return true // ended meanwhile
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent, err := strconv.Atoi(fields[1])
		return err != nil || fields[0] == "Z" || slices.Contains(pids, parent)
	})
}

// The client computes the cost of a call by its own list of prices. Ours, for estimates, are the same.
func TestThePricesOfEstimatesAreTheClients(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t, "distill.day_tokens=100000000", "distill.session_tokens=100000000")
	prices := config.Default().Distill
	before := 0.0
	for _, call := range []struct {
		usage Usage
		want  float64
	}{
		{Usage{InputTokens: 100_000}, prices.InputPrice / 10},
		{Usage{OutputTokens: 100_000}, prices.OutputPrice / 10},
	} {
		step := written()
		step.Usage = &call.usage
		run := exporting(t, u, api, step)
		u.stored(t, run.SessionID)
		u.queued(t, run.SessionID, "the session to be distilled", isDone)
		var spent daemonapi.SpendResult
		u.memory(t, &spent, "distill", "spend")
		usd := spent.Totals[0].USD - before
		before = spent.Totals[0].USD
		if math.Abs(usd-call.want) > call.want/100 {
			t.Errorf("%+v cost $%.4f, the price in the settings is $%.4f", call.usage, usd, call.want)
		}
	}
}
