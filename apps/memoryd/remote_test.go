//go:build linux

package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// TestRemoteStoreThatFails: a store hangs, disappears, and refuses the password. Each time the session starts within its
// deadline, and the captured events are stored later, once.
func TestRemoteStoreThatFails(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	l := enginetest.NewLine(t, endpoint.URL)
	h := newHome(t)
	h.env = []string{"SURREAL_URL=" + l.URL(), "SURREAL_USER=" + endpoint.User, "SURREAL_NS=" + namespace, "SURREAL_DB=" + database}
	password := "SURREAL_PASS=" + endpoint.Pass

	// Hung from the start.
	l.Hold(true)
	h.spool(t, 0)
	a := h.start(t, password)
	h.sessionStart(t)
	h.expectWaiting(t, 2)

	// It comes back.
	l.Hold(false)
	l.Cut()
	h.expectStored(t, 1)

	// It goes away while it is used, and comes back.
	l.Hold(true)
	l.Cut()
	h.spool(t, 1)
	h.sessionStart(t)
	l.Hold(false)
	l.Cut()
	h.expectStored(t, 2)
	a.stop(t)

	// It refuses the password.
	h.spool(t, 2)
	a = h.start(t, "SURREAL_PASS=wrong")
	h.sessionStart(t)
	h.await(t, "the refusal to be told", func() bool {
		status, err := h.status(t)
		return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "refuses access")
	})
	h.expectWaiting(t, 2)
	a.stop(t)
	a = h.start(t, password)
	h.expectStored(t, 3)
	a.stop(t)
}

// TestAStoreBehindTLSThatIsOfflineForDays: two machines share a store, one of them over TLS. While that connection is
// down, its index answers, events wait, and daemons start and end; afterwards both have everything once.
func TestAStoreBehindTLSThatIsOfflineForDays(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	by := enginetest.NewAuthority(t)
	l := enginetest.NewTLSLine(t, endpoint.URL, by)
	credentials := []string{"SURREAL_USER=" + endpoint.User, "SURREAL_PASS=" + endpoint.Pass, "SURREAL_NS=" + namespace, "SURREAL_DB=" + database}
	h, desk := newHome(t), newHome(t)
	h.env = append([]string{"SURREAL_URL=" + l.URL(), "SURREAL_CA_FILE=" + by.File}, credentials...)
	desk.env = append([]string{"SURREAL_URL=" + endpoint.URL}, credentials...)

	h.spoolText(t, 0, "remember: the staging database listens on port 6543")
	a := h.start(t)
	h.expectStored(t, 1)
	if told := h.recalls(t, "which port does the staging database listen on?"); !strings.Contains(told, "6543") {
		t.Fatalf("with the line up the prompt is told %q", told)
	}

	l.Stop()
	h.spool(t, 1)
	if told := h.recalls(t, "connect to the staging database on its port"); !strings.Contains(told, "6543") {
		t.Errorf("with the line down the prompt is told %q", told)
	}
	h.sessionStart(t)
	h.expectWaiting(t, 2)
	a.stop(t)
	other := desk.fill(t, 100, 103)
	for n := 2; n < 4; n++ { // daemons of two days, each ends with nothing stored
		h.spool(t, n)
		a = h.start(t)
		h.await(t, "the daemon to wait for the store", func() bool {
			status, err := h.status(t)
			return err == nil && status.State == "waiting"
		})
		h.sessionStart(t)
		h.expectWaiting(t, n)
		a.stop(t)
	}
	l.Start(t)
	l.Slow(5 * time.Millisecond)
	a = h.start(t)
	h.expectStored(t, 7)
	a.stop(t)
	other.stop(t)
	desk.fill(t, 0, 0)
	desk.expectStored(t, 7)
}

// recalls returns the memories that the daemon injects for a prompt in a new session.
func (h *home) recalls(t *testing.T, prompt string) string {
	t.Helper()
	var told daemonapi.ContextResult
	h.call(t, daemonapi.MethodRecall.Call(daemonapi.RecallParams{
		Project: "p", Session: "session of " + prompt, Purpose: daemonapi.ForPrompt, Text: prompt, TokenBudget: 400, MaxLines: 3, WaitMS: 20_000,
	}, &told))
	return told.Text
}

// sessionStart runs the real hook, which must end within its deadline; the context here only ends a test that failed.
func (h *home) sessionStart(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.hook)
	cmd.Env = append(h.environment(t), h.env...)
	cmd.Stdin = strings.NewReader(`{"session_id":"s2","cwd":"/p","hook_event_name":"SessionStart","source":"startup"}`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("session-start: %v\n%s", err, stderr.String())
	}
}

// expectWaiting holds the spool to at least n events: none was lost.
func (h *home) expectWaiting(t *testing.T, n int) {
	t.Helper()
	if got := h.waiting(t); got < n {
		t.Errorf("%d events wait, want at least %d", got, n)
	}
}

// expectStored waits until the spool is empty, and finds each prompt once.
func (h *home) expectStored(t *testing.T, prompts int) {
	t.Helper()
	var status daemonapi.StatusResult
	h.await(t, "the store to have everything", func() bool {
		var err error
		status, err = h.status(t)
		return err == nil && status.Spool == daemonapi.SpoolStatus{} && status.Store != nil
	})
	if status.Store.Prompts != prompts || status.Store.Sightings != prompts {
		t.Errorf("the store has %+v, want %d prompts and as many sightings", *status.Store, prompts)
	}
}
