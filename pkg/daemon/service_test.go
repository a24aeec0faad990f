package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

func TestStatusAnswersWhileTheStoreStarts(t *testing.T) {
	prepare, release := daemontest.Hold()
	r := daemontest.Serve(t, prepare)
	daemontest.Put(t, r.Spool, daemontest.Prompt(1, "waits"))
	status := musttest.Get(daemonapi.MethodStatus.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	if status.State != "starting" || status.Spool.New != 1 || status.Store != nil {
		t.Errorf("status is %+v", status)
	}
	release()
	musttest.Do(t, r.Send(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil))) // waits until it is ready
	musttest.Do(t, r.Send(t.Context(), daemonapi.MethodStatus.Call(daemonapi.None{}, &status)))
	if status.State != "ready" || status.Spool.New != 0 || status.Store == nil || status.Store.Prompts != 1 {
		t.Errorf("status is %+v", status)
	}
}

// TestAnEngineThatDoesNotAnswerIsReported: status and sessions show it while the daemon's own state is ready.
func TestAnEngineThatDoesNotAnswerIsReported(t *testing.T) {
	var silent atomic.Value
	silent.Store(time.Time{})
	r := daemontest.Serve(t, daemontest.Ready, func(r *daemontest.Running) {
		r.Service.Engine = func() daemonapi.EngineStatus {
			return daemonapi.EngineStatus{UnresponsiveSince: silent.Load().(time.Time)}
		}
	})
	musttest.Do(t, r.Send(t.Context(), daemonapi.MethodIngest.Call(daemonapi.None{}, nil))) // waits until it is ready
	look := func() (status daemonapi.StatusResult, start daemonapi.ContextResult) {
		t.Helper()
		musttest.Do(t, errors.Join(
			r.Send(t.Context(), daemonapi.MethodStatus.Call(daemonapi.None{}, &status)),
			r.Send(t.Context(), daemonapi.MethodSessionContext.Call(daemonapi.SessionContextParams{Project: "p", TokenBudget: 100, WaitMS: 60_000}, &start))))
		return status, start
	}
	if status, start := look(); status.State != "ready" || start.Trouble != nil {
		t.Errorf("an engine that answers: %+v, %+v", status, start.Trouble)
	}
	silent.Store(time.Date(2026, 11, 20, 12, 30, 5, 0, time.Local))
	const reason = "has not answered since 12:30:05"
	status, start := look()
	if status.State != "waiting" || !strings.Contains(status.Reason, reason) {
		t.Errorf("the status with an engine that does not answer is %s: %s", status.State, status.Reason)
	}
	if start.Trouble == nil || !strings.Contains(start.Trouble.Problem, reason) {
		t.Errorf("a session is shown %+v", start.Trouble)
	}
}

func TestASessionWaitsForAStartingDaemonUntilItsDeadline(t *testing.T) {
	prepare, release := daemontest.Hold()
	r := daemontest.Serve(t, prepare)
	ask := daemonapi.SessionContextParams{Project: "p", TokenBudget: 100, WaitMS: 10}
	musttest.Is(t, memory.ErrUnavailable, r.Send(t.Context(), daemonapi.MethodSessionContext.Call(ask, nil)), "ask for a start")
	ask.WaitMS = 60_000
	answered := make(chan error, 1)
	go func() { answered <- r.Send(t.Context(), daemonapi.MethodSessionContext.Call(ask, nil)) }()
	release()
	musttest.Is(t, nil, <-answered, "after the store came")
}

func TestWithoutAStoreCallersGetTheReasonAtOnce(t *testing.T) {
	tried := make(chan struct{}, 10)
	r := daemontest.Serve(t, func(context.Context) error {
		tried <- struct{}{}
		return errors.New("no SurrealDB engine: install Node.js")
	})
	<-tried
	ask := daemonapi.SessionContextParams{Project: "p", TokenBudget: 100, WaitMS: 60_000}
	context := musttest.Get(daemonapi.MethodSessionContext.Ask(t.Context(), r.Send, ask))(t)
	if trouble := context.Trouble; trouble == nil || !strings.Contains(trouble.Problem, "install Node.js") || trouble.Command != "doctor" || context.Encoding != "" {
		t.Errorf("a session is shown %+v, want the reason, the remedy and no start, which would be counted in %q", trouble, context.Encoding)
	}
	err := r.Send(t.Context(), daemonapi.MethodRecall.Call(daemonapi.RecallParams{Project: "p", TokenBudget: 100, WaitMS: 60_000}, nil))
	if !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "install Node.js") {
		t.Errorf("error %v, want ErrUnavailable with the reason", err)
	}
	if status, err := daemonapi.MethodStatus.Ask(t.Context(), r.Send, daemonapi.None{}); err != nil || status.State != "waiting" {
		t.Errorf("status is %+v, %v", status, err)
	}
	musttest.Fails(t, musttest.Err(os.Stat(r.Daemon.Layout.ReadyMarker())), "look for the mark of a ready daemon")
}

func TestANotificationEmptiesTheSpool(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	daemontest.Put(t, r.Spool, daemontest.Prompt(1, "one"))
	client := musttest.Get(daemonclient.Dial(t.Context(), r.Socket))(t)
	defer func() { _ = client.Close() }()
	musttest.Do(t, client.Notify(t.Context(), daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil)))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // less than the daemon takes to look by itself
	defer cancel()
	for {
		var status daemonapi.StatusResult
		musttest.Do(t, client.Call(ctx, daemonapi.MethodStatus.Call(daemonapi.None{}, &status)))
		if status.Store != nil && status.Store.Prompts == 1 {
			return
		}
	}
}

func TestStopEndsItAndTakesTheReadyMarkAway(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	musttest.Is(t, nil, musttest.Err(os.Stat(r.Daemon.Layout.ReadyMarker())), "the mark of a ready daemon")
	client := musttest.Get(daemonclient.Dial(t.Context(), r.Socket))(t)
	defer func() { _ = client.Close() }()
	musttest.Do(t, client.Notify(t.Context(), daemonapi.MethodStop.Call(daemonapi.None{}, nil)))
	musttest.Is(t, nil, <-r.Ended, "ended")
	r.Ended <- nil
	musttest.Is(t, os.ErrNotExist, musttest.Err(os.Stat(r.Daemon.Layout.ReadyMarker())), "the mark of a ready daemon, after its end")
	musttest.Is(t, daemonclient.ErrNoDaemon, musttest.Err(daemonclient.Dial(t.Context(), r.Socket)), "dial after the end")
}

// A session's start has the project's index loaded, before its first prompt.
func TestASessionsStartLoadsItsIndex(t *testing.T) {
	loaded := make(chan string, 2)
	r := daemontest.Serve(t, daemontest.Ready, func(r *daemontest.Running) { r.Daemon.Store = &watchedStore{r.Daemon.Store, loaded} })
	ask := daemonapi.SessionContextParams{Project: "p", Session: "s", Source: "startup", TokenBudget: 100, WaitMS: 60_000}
	for range 2 {
		musttest.Get(daemonapi.MethodSessionContext.Ask(t.Context(), r.Send, ask))(t)
	}
	musttest.Same(t, "p", <-loaded, "the project that is loaded")
	r.End()
	if len(loaded) > 0 {
		t.Error("loaded twice")
	}
}

// watchedStore records which projects are loaded.
type watchedStore struct {
	daemon.Store
	loaded chan<- string
}

func (s *watchedStore) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	if page, isPage := q.(memory.Page); isPage && page.Project != "" {
		s.loaded <- page.Project
	}
	return s.Store.Rows(ctx, q)
}

// What was decided about memories is in an export, so that an import can settle which decision is the newer.
func TestAnExportHasFates(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, daemontest.Noted(1, "the port is 6543")))(t)
	page := musttest.Get(daemonapi.MethodExport.Ask(t.Context(), r.Send, memory.ExportQuery{Section: memory.SectionMemory}))(t)
	if len(page.Memories) != 1 || len(page.Fates) != 1 {
		t.Errorf("exported %+v", page)
	}
}

// TestEveryMethodIsHandledOnce holds the table of handlers to the methods that package daemonapi declares.
func TestEveryMethodIsHandledOnce(t *testing.T) {
	var declared []string
	for _, file := range musttest.Get(filepath.Glob("../rpc/daemonapi/*.go"))(t) {
		declared = append(declared, named(t, file, `\b(Method\w+) += Method\[`)...)
	}
	handled := named(t, "handlers.go", `\bdaemonapi\.(Method\w+)(?:\.Handle\(|, )`)
	slices.Sort(declared)
	slices.Sort(handled)
	if diff := cmp.Diff(declared, handled); diff != "" || len(declared) < 30 {
		t.Errorf("methods (-declared +handled):\n%s", diff)
	}
}

func named(t *testing.T, file, pattern string) []string {
	t.Helper()
	content := musttest.Get(os.ReadFile(file))(t)
	if strings.HasSuffix(file, "_test.go") {
		return nil
	}
	var names []string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
		names = append(names, found[1])
	}
	return names
}

// A session that begins by /clear does not get what was rewound in the session before, whose transcript nobody has read yet.
func TestAStartByClearHasNothingRewound(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	line := func(id, parent, kind, content string, n int) string {
		return fmt.Sprintf(`{"parentUuid":%s,"uuid":%q,"sessionId":"s1","cwd":"/p","timestamp":%q,"type":%q,"message":{"role":%q,"content":%s}}`+"\n",
			parent, id, daemontest.Noon.Add(time.Duration(n)*time.Second).Format(time.RFC3339Nano), kind, kind, content)
	}
	const first, gone, last = "From now on we squash commits.", "From now on we deploy on Fridays.", "Go on."
	answer := `[{"type":"text","text":"Understood."}]`
	text := line("u1", "null", "user", fmt.Sprintf("%q", first), 1) + line("a1", `"u1"`, "assistant", answer, 2) +
		line("u2", `"a1"`, "user", fmt.Sprintf("%q", gone), 11) + line("a2", `"u2"`, "assistant", answer, 12) +
		line("u3", `"a1"`, "user", fmt.Sprintf("%q", last), 21) + line("a3", `"u3"`, "assistant", answer, 22)
	file := filepath.Join(t.TempDir(), "s1.jsonl")
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	var events []memory.Event
	for i, said := range []string{first, gone, last} {
		prompt, ended := daemontest.Prompt(10*i+1, said), daemontest.Event(10*i+2, memory.EventTurnEnded)
		ended.Text, prompt.Session, ended.Session = "Understood.", "s1", "s1"
		events = append(events, prompt, ended)
	}
	end := daemontest.Event(30, memory.EventSessionEnded)
	end.Reason, end.Transcript, end.Session = "clear", file, "s1"
	daemontest.Put(t, r.Spool, append(events, end)...)
	given := musttest.Get(daemonapi.MethodSessionContext.Ask(t.Context(), r.Send, daemonapi.SessionContextParams{Project: "p", Session: "s2", Source: "clear", TokenBudget: 2000, WaitMS: 5000}))(t)
	if !strings.Contains(given.Text, "squash commits") || strings.Contains(given.Text, "Fridays") {
		t.Errorf("the start has %s", given.Text)
	}
}
