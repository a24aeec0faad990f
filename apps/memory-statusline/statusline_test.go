package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTheLineSaysWhatASessionWasTold, or in a word why nothing.
func TestTheLineSaysWhatASessionWasTold(t *testing.T) {
	cases := map[string]struct {
		answer func(ctx context.Context, session string) (agentapi.Glance, error)
		want   string
	}{
		"told": {func(_ context.Context, session string) (agentapi.Glance, error) {
			return agentapi.Glance{State: "ready", Memories: 3, Tokens: 120, Last: "note, 1 Nov: \x1b[31mthe port of " + session + "\nis 6543 " + strings.Repeat("é", 100)}, nil
		}, "memory: 3 told, 120 tokens · note, 1 Nov: the port of s1 is 6543 " + strings.Repeat("é", 23) + "…"},
		"nothing yet": {func(context.Context, string) (agentapi.Glance, error) { return agentapi.Glance{State: "ready"}, nil }, "memory: on, nothing told yet"},
		"starting":    {func(context.Context, string) (agentapi.Glance, error) { return agentapi.Glance{State: "starting"}, nil }, "memory: starting"},
		"in trouble": {func(context.Context, string) (agentapi.Glance, error) {
			return agentapi.Glance{State: "waiting", Trouble: "the disk is full"}, nil
		}, "memory: the disk is full"},
		"fails": {func(context.Context, string) (agentapi.Glance, error) { return agentapi.Glance{}, errors.New("boom") }, "memory: busy"},
		"hangs": {func(ctx context.Context, _ string) (agentapi.Glance, error) {
			<-ctx.Done()
			return agentapi.Glance{}, memory.ErrUnavailable
		}, "memory: busy"},
	}
	for name, c := range cases {
		layout := paths.Layout{Home: t.TempDir()}
		serve(t, layout, agentapi.MethodGlance.Handle(c.answer))
		if got := written(t, layout, `{"hook_event_name":"Status","session_id":"s1","cwd":"/x"}`); got != c.want+"\n" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, input := range []string{`{"session_id":"s1"}`, "", "no object"} {
		if got := written(t, paths.Layout{Home: t.TempDir()}, input); got != "memory: asleep\n" {
			t.Errorf("without an agent, given %q: %q", input, got)
		}
	}
}

// TestAnInputThatNeverEndsHasItsLine: the client waits for it.
func TestAnInputThatNeverEndsHasItsLine(t *testing.T) {
	for _, begun := range []string{"", `{"session_id":`} {
		synctest.Test(t, func(t *testing.T) {
			in, client := io.Pipe()
			go func() { _, _ = io.WriteString(client, begun) }()
			var out strings.Builder
			began := time.Now()
			if err := write(t.Context(), in, &out, paths.Layout{Home: t.TempDir()}); err != nil || out.String() != "memory: asleep\n" || time.Since(began) > time.Second {
				t.Errorf("after %q: %q in %v, %v", begun, out.String(), time.Since(began), err)
			}
			_ = client.Close()
		})
	}
}

func written(t *testing.T, layout paths.Layout, input string) string {
	t.Helper()
	var out strings.Builder
	if err := write(t.Context(), strings.NewReader(input), &out, layout); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func serve(t *testing.T, layout paths.Layout, handlers ...agentapi.Handler) {
	t.Helper()
	listener, err := agentserver.Listen(layout.Socket())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := &agentserver.Server{Handlers: handlers, Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
