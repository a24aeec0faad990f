package session_test

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestSessionsAreOpenUntilTheirEnd(t *testing.T) {
	s := session.New(nil, slog.New(slog.NewTextHandler(io.Discard, nil)), time.Now)
	for i, step := range []struct {
		session string
		kind    memory.EventKind
		open    bool
	}{
		{"a", memory.EventSessionStarted, true},
		{"a", memory.EventSessionEnded, false},
		{"a", memory.EventCommandSucceeded, false}, // a late event of it
		{"a", memory.EventPrompt, true},            // resumed
		{"b", memory.EventCommandSucceeded, true},  // began before this daemon
		{"a", memory.EventSessionEnded, true},
		{"b", memory.EventSessionEnded, false},
	} {
		s.Committed(t.Context(), intake.Committed{Events: []memory.Event{{Session: step.session, Kind: step.kind}}})
		musttest.Same(t, step.open, s.AnyOpen(), "after step %d, %s of %s: open (-want +got)", i, step.kind, step.session)
	}
}
