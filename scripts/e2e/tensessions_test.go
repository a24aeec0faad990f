//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The user's statements in the first three sessions, and the facts that a model derives.
var firstFacts = []struct{ stated, fact string }{
	{"We never join the export on the account, guests have none.", "Exports are built from sessions, since guests have no account."},
	{"The carrier's first API drops the street number, so call the second.", "Labels come from the carrier's second API, as only that has street numbers."},
	{"Every migration names its ticket on the first line.", "A migration without a ticket on its first line is turned away in review."},
}

// The first ten sessions of somebody with nothing set: the question about a model comes once, in the second; the answer
// yes is given in the third, where it can be typed; and the fourth starts with facts of all three.
func TestFirstTenSessions(t *testing.T) {
	u, api := newUser(t)
	u.onPath(t)
	u.mayDistil(t)
	api.Script("noted", Say("Understood."))
	var facts []map[string]any
	for _, one := range firstFacts { // a model that answers with all three each time: only that which the session stated is kept
		facts = append(facts, map[string]any{"text": one.fact, "kind": "convention", "quotes": []string{one.stated}, "about": "", "relation": ""})
	}
	api.Distil(written(facts...))

	var askedIn []int
	for n := 1; n <= 10; n++ {
		begun := time.Now()
		prompt := "What is next? SCRIPT:noted"
		if n <= len(firstFacts) {
			prompt = firstFacts[n-1].stated + " SCRIPT:noted"
		}
		c := u.talk(t.Context(), t)
		await(t, 20*time.Second, "the session to start", func() bool { return c.logged("SessionStart:startup") > 0 })
		c.typed(prompt, "SCRIPT:noted")
		await(t, 20*time.Second, "the turn to end", func() bool { return c.logged("Hooks: Stop [") > 0 })
		if c.isDrawn("Nothing is sent until you answer") {
			askedIn = append(askedIn, n)
		}
		if n == 3 {
			if u.isOn(t) || len(distillations(api)) > 0 {
				t.Fatal("a model was asked before anybody agreed")
			}
			c.typed("! memory distill on", "distill")
			await(t, 20*time.Second, "the answer to be taken over", func() bool { return u.isOn(t) })
		}
		session := c.session()
		start := strings.Join(lastRequest(t, api, prompt).Injected("SessionStart"), "\n")
		c.end()
		u.stored(t, session)
		if n == 3 {
			u.queued(t, session, "the session of the answer to be distilled", isDone)
			u.requireCaughtUp(t, 3)
		}
		for _, one := range firstFacts {
			if n > 3 && strings.Count(start, one.fact) != 1 {
				t.Errorf("session %d starts without %q:\n%s", n, one.fact, start)
			}
		}
		t.Logf("session %d took %v", n, time.Since(begun).Round(time.Millisecond))
	}
	if !slices.Equal(askedIn, []int{2}) {
		t.Errorf("the question came in the sessions %v, want only the second", askedIn)
	}
}

// requireCaughtUp waits until a number of sessions is distilled.
func (u *User) requireCaughtUp(t *testing.T, sessions int) {
	t.Helper()
	store := u.store(t)
	await(t, 20*time.Second, "the sessions before to be distilled", func() bool {
		done, err := store.Distillations(t.Context(), memory.DistillationQuery{States: []memory.DistillationState{memory.DistillationDone}, Limit: 10})
		return err == nil && len(done) == sessions
	})
}
