package exchange

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAFailedExchangeIsTriedAgain lets exchanges fail and succeed, and compares the seconds at which they were tried: with doubled
// pauses, at once when a session starts, and not at all while nothing is set up.
func TestAFailedExchangeIsTriedAgain(t *testing.T) {
	ended := intake.Committed{Events: []memory.Event{{Kind: memory.EventSessionEnded}}}
	started := intake.Committed{Events: []memory.Event{{Kind: memory.EventPrompt}, {Kind: memory.EventSessionStarted}}}
	prompted := intake.Committed{Events: []memory.Event{{Kind: memory.EventPrompt}}}
	for name, at := range map[string]struct {
		isSetUp  bool
		failures int
		commits  map[int]intake.Committed // by the second
		want     []int
	}{
		"the daemon starts":          {true, 0, nil, []int{5}},
		"nothing is set up":          {false, 0, map[int]intake.Committed{100: ended}, nil},
		"a session ends":             {true, 0, map[int]intake.Committed{100: ended, 101: ended}, []int{5, 105}},
		"a prompt alone":             {true, 0, map[int]intake.Committed{100: prompted}, []int{5}},
		"two failures":               {true, 2, nil, []int{5, 65, 185}},
		"a session starts meanwhile": {true, 2, map[int]intake.Committed{30: started}, []int{5, 30, 150}},
		"every try fails":            {true, 100, map[int]intake.Committed{8000: ended}, []int{5, 65, 185, 425, 905, 1865, 3785, 7625, 8005, 8065}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, failures := time.Now(), at.failures
				var tries []int
				x := New(func() bool { return at.isSetUp }, func(context.Context) error {
					tries = append(tries, int(time.Since(began)/time.Second))
					if failures--; failures >= 0 {
						return errors.New("no network")
					}
					return nil
				}, slog.New(slog.DiscardHandler))
				ctx, cancel := context.WithTimeout(t.Context(), 8100*time.Second)
				defer cancel()
				for second, commit := range at.commits {
					time.AfterFunc(time.Duration(second)*time.Second, func() { x.Committed(ctx, commit) })
				}
				x.Run(ctx)
				musttest.Same(t, at.want, tries, "the seconds of the tries (-want +got)")
			})
		})
	}
}
