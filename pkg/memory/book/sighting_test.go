package book_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
)

func TestTheOrderOfASessionsEventsDoesNotMatter(t *testing.T) {
	states := []memory.SessionState{memory.SessionInitialised, memory.SessionActive, memory.SessionSummarising}
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
