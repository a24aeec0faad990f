package session_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestATurnRunsUntilItEndsOrAnotherBegins(t *testing.T) {
	begun := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		events []memory.EventKind // one a minute
		asking string
		made   time.Duration // since the first event
		source memory.Source
		now    time.Duration
		want   bool
	}{
		"a turn runs":                      {[]memory.EventKind{memory.EventPrompt, memory.EventCommandFailed}, "b", 0, memory.SourceUser, time.Minute, true},
		"of the asking session":            {[]memory.EventKind{memory.EventPrompt}, "a", 0, memory.SourceUser, time.Minute, false},
		"of the assistant":                 {[]memory.EventKind{memory.EventPrompt}, "b", 0, memory.SourceAssistant, time.Minute, false},
		"it ended":                         {[]memory.EventKind{memory.EventPrompt, memory.EventTurnEnded}, "b", 0, memory.SourceUser, time.Minute, false},
		"it failed":                        {[]memory.EventKind{memory.EventPrompt, memory.EventTurnFailed}, "b", 0, memory.SourceUser, time.Minute, false},
		"the session ended":                {[]memory.EventKind{memory.EventPrompt, memory.EventSessionEnded}, "b", 0, memory.SourceUser, time.Minute, false},
		"the next turn began":              {[]memory.EventKind{memory.EventPrompt, memory.EventPrompt}, "b", 0, memory.SourceUser, time.Minute, false},
		"known from before":                {[]memory.EventKind{memory.EventPrompt}, "b", -time.Hour, memory.SourceUser, time.Minute, false},
		"its client has died, most likely": {[]memory.EventKind{memory.EventPrompt}, "b", 0, memory.SourceUser, 2 * time.Hour, false},
	} {
		s := session.New(nil, slog.New(slog.DiscardHandler), func() time.Time { return begun.Add(c.now) })
		for i, kind := range c.events {
			e := memory.Event{Session: "a", Kind: kind, Prompt: "we never squash", At: begun.Add(time.Duration(i) * time.Minute)}
			s.Committed(t.Context(), intake.Committed{Events: []memory.Event{e}})
		}
		m := memory.Memory{Session: "a", Source: c.source, CreatedAt: begun.Add(c.made)}
		if got := s.InRunningTurn(m, c.asking); got != c.want {
			t.Errorf("%s: unsettled is %t, want %t", name, got, c.want)
		}
	}
}
