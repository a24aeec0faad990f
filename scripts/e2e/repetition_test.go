//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A sentence that is repeated in another session is one memory; of two that disagree the newer stands above the older in
// the next start.
func TestWhatIsSaidAgainAndWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	const (
		apart    = "from now on run the time-out checks of the gateway before each commit"
		together = "from now on please run the timeout checks of the gateway before each commit"
		again    = "we never log request bodies in production"
		opposite = "we don't have `Report-Id` trailers anymore"
		gone     = "each commit must have a `Report-Id` trailer"
	)
	u.stated(t, apart, again, gone)
	u.stated(t, together, again, opposite)

	kept := u.listed(t)
	var contents []string
	for _, m := range kept {
		contents = append(contents, m.Content)
	}
	slices.Sort(contents)
	if diff := cmp.Diff([]string{gone, together, apart, opposite, again}, contents); diff != "" {
		t.Fatalf("listed (-want +got):\n%s", diff)
	}
	const near = "Does each commit still need its Report-Id trailer?"
	u.Run(t.Context(), near)
	given := strings.Join(lastRequest(t, api, near).Injected("SessionStart"), "\n")
	if i := strings.Index(given, opposite); i < 0 || i > strings.Index(given, gone) || strings.Count(given, again) != 1 {
		t.Errorf("the start has %q, want the last word first", given)
	}
}

// stated runs a session in which the user makes these statements, and the maintenance after
// it.
func (u *User) stated(t *testing.T, sentences ...string) {
	t.Helper()
	run := u.Chat(t.Context(), sentences)
	requireGoodRun(t, run, "UserPromptSubmit", "SessionEnd:other")
	u.stored(t, run.SessionID)
	u.memory(t, nil, "daemon", "consolidate")
}

// listed returns the user's statements in `memory list`.
func (u *User) listed(t *testing.T) []memory.Memory {
	t.Helper()
	var all []memory.Memory
	u.memory(t, &all, "list", "--limit", "0")
	return slices.DeleteFunc(all, func(m memory.Memory) bool { return m.Source != memory.SourceUser })
}
