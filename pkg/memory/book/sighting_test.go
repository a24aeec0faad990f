package book_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
)

func TestTheOrderOfASessionsEventsDoesNotMatter(t *testing.T) {
	states := []memory.SessionState{memory.SessionActive, memory.SessionSummarising, memory.SessionCompleted}
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) memory.Session {
			at := time.Unix(rapid.Int64Range(1, 3).Draw(t, "second"), 0)
			return memory.Session{State: rapid.SampledFrom(states).Draw(t, "state"), StateAt: at, StartedAt: at, LastEventAt: at}
		}), 1, 5).Draw(t, "events")
		merged := func(order []memory.Session) memory.Session {
			s := order[0]
			for _, next := range order[1:] {
				s = book.MergeSession(s, next)
			}
			return s
		}
		one, other := merged(events), merged(rapid.Permutation(events).Draw(t, "order"))
		if one.State != other.State || !one.StateAt.Equal(other.StateAt) || !one.StartedAt.Equal(other.StartedAt) || !one.LastEventAt.Equal(other.LastEventAt) {
			t.Fatalf("%+v and %+v", one, other)
		}
	})
}

// In how many sessions the user said a memory does not depend on the order of the sightings, nor on their repetition; what others say does not count.
func TestTheOrderOfSightingsDoesNotChangeHowOftenItWasSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceAssistant}).Draw(t, "source")
		seen := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) memory.Memory {
			return memory.Memory{
				ID: "m", Content: "never rebase", Source: by, Status: memory.StatusActive, LastSeenAt: time.Unix(rapid.Int64Range(1, 99).Draw(t, "second"), 0),
				Session: rapid.SampledFrom([]string{"", "s1", "s2", "s3"}).Draw(t, "session"),
			}
		}), 1, 6, func(m memory.Memory) int64 { return m.LastSeenAt.Unix() }).Draw(t, "sightings")
		sessions := map[string]bool{}
		for _, m := range seen {
			sessions[m.Session] = true
		}
		want := len(sessions)
		if want == 1 || by != memory.SourceUser {
			want = 0
		}
		seen = rapid.Permutation(append(seen, seen...)).Draw(t, "order")
		row := book.NewRow(seen[0])
		for _, m := range seen[1:] {
			row, _ = book.AddSighting(row, m)
		}
		if got := row.Memory.Said(); got != want || row.Memory.IsSaidAgain() != (want > 1) {
			t.Fatalf("said %d times, want %d: %q", got, want, row.Memory.Tags)
		}
	})
}

// When the user's words were said last does not depend on the order of the sightings, their repetition, or what others say. Nor does
// it restore them that others repeat what a person archived, or what was archived after that.
func TestOnlyTheUserSaysTheUsersWordsAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) memory.Memory {
			by := rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceAssistant, memory.SourceImport}).Draw(t, "source")
			return memory.Memory{ID: "m", Content: "never rebase", Source: by, Status: memory.StatusActive, LastSeenAt: time.Unix(rapid.Int64Range(1, 99).Draw(t, "second"), 0)}
		}), 1, 6, func(m memory.Memory) int64 { return m.LastSeenAt.Unix() }).Draw(t, "sightings")
		var users, all time.Time
		for _, m := range seen {
			if all = later(all, m.LastSeenAt); m.Source == memory.SourceUser {
				users = later(users, m.LastSeenAt)
			}
		}
		seen = rapid.Permutation(append(seen, seen...)).Draw(t, "order")
		row := book.NewRow(seen[0])
		for _, m := range seen[1:] {
			row, _ = book.AddSighting(row, m)
		}
		if want := users; !want.IsZero() && !row.Memory.LastSeenAt.Equal(want) || want.IsZero() && !row.Memory.LastSeenAt.Equal(all) {
			t.Fatalf("said last at %v, want %v or else %v", row.Memory.LastSeenAt, users, all)
		}
	})
	said := memory.Memory{ID: "m", Content: "never rebase", Source: memory.SourceUser, Status: memory.StatusArchived, LastSeenAt: time.Unix(1, 0)}
	for at, want := range map[int64]memory.Status{2: memory.StatusArchived, 4: memory.StatusActive} {
		row := memory.Row{Memory: said, RetiredAt: time.Unix(3, 0)}
		echo := said
		echo.Source, echo.LastSeenAt = memory.SourceAssistant, time.Unix(at, 0)
		if got, _ := book.AddSighting(row, echo); got.Memory.Status != want {
			t.Errorf("archived at 3 and repeated at %d it is %s, want %s", at, got.Memory.Status, want)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
