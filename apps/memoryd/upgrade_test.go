//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// earlierVariable turns this program into the agent of an earlier version in that home.
const earlierVariable = "MEMORYD_TEST_EARLIER"

// serveAsEarlier imitates the agent of c6b5d5c towards callers: it holds the lock, and answers sessions, the status and
// no later method.
func serveAsEarlier(home string) error {
	layout := paths.Layout{Home: home}
	if err := private.Make(layout.Run()); err != nil {
		return err
	}
	lock := flock.New(layout.Lock())
	if mine, err := lock.TryLock(); err != nil || !mine {
		return fmt.Errorf("the lock is mine: %t, %w", mine, err)
	}
	defer func() { _ = lock.Unlock() }() // until then it is in use: a lock that is collected as garbage is free
	err := errors.Join(os.WriteFile(layout.PIDFile(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600), os.WriteFile(layout.ReadyMark(), nil, 0o600))
	if err != nil {
		return err
	}
	listener, err := agentserver.Listen(layout.Socket())
	if err != nil {
		return err
	}
	server := agentserver.Server{Log: slog.New(slog.DiscardHandler), Handlers: []agentapi.Handler{
		agentapi.MethodSessionContext.Handle(func(context.Context, agentapi.SessionContextParams) (agentapi.ContextResult, error) {
			return agentapi.ContextResult{Text: "told by the earlier agent"}, nil
		}),
		agentapi.MethodStatus.Handle(func(context.Context, agentapi.None) (agentapi.StatusResult, error) {
			return agentapi.StatusResult{State: "ready", PID: os.Getpid()}, nil
		}),
	}}
	return server.Serve(context.Background(), listener)
}

// startEarlier starts such an agent, and waits until it answers.
func (h *home) startEarlier(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args[0] = filepath.Join(t.TempDir(), "memoryd") // as its process is called
	cmd.Env = append(os.Environ(), earlierVariable+"="+h.layout.Home)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it was replaced
		_ = cmd.Wait()
	})
	h.await(t, "the earlier agent to answer", func() bool {
		status, err := h.status(t)
		return err == nil && status.PID == cmd.Process.Pid
	})
	return cmd.Process.Pid
}

// TestAnAgentOfAnEarlierVersionIsReplaced: it does not support the question who asks, and would go on for hours after
// an upgrade without a message.
func TestAnAgentOfAnEarlierVersionIsReplaced(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	for name, first := range map[string]func(t *testing.T, h *home, root string) string{
		"by a session": func(t *testing.T, h *home, root string) string {
			return h.within(t, time.Minute, startOfSession, filepath.Join(root, "libexec", "session-start"))
		},
		"by a command": func(t *testing.T, h *home, root string) string {
			cmd := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "memory"), "agent", "ingest")
			cmd.Env = append(h.environment(t), h.env...)
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, said)
			}
			return string(said)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			root := h.newPlugin(t)
			earlier := h.startEarlier(t)
			t.Cleanup(func() { h.endAgent(t) })
			said := first(t, h, root)
			if !strings.Contains(said, "of an earlier version") || strings.Contains(said, "told by the earlier agent") {
				t.Errorf("it is told %s", said)
			}
			now := h.awaitReady(t, earlier)
			if got := programOf(now.PID); got != filepath.Join(root, "libexec", "memoryd") {
				t.Errorf("%s serves", got)
			}
			// The lock is free a moment before the process has ended.
			h.await(t, "the earlier agent to be gone", func() bool { return isGoneProcess(earlier) })
			if again := first(t, h, root); strings.Contains(again, "of an earlier version") {
				t.Errorf("it is told again: %s", again)
			}
		})
	}
}
