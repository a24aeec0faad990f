//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// What the client loads into a session by itself is not told once more, and is again when
// the file has gone.
func TestWhatTheClientLoadsIsNotTold(t *testing.T) {
	const (
		rule  = "database migrations are numbered with four digits"
		other = "invoices are rounded to whole cents"
	)
	u, api := newUser(t)
	u.Write("CLAUDE.md", "# Rules\n\n- Number database migrations with four digits.\n")
	u.Run(t.Context(), "Remember: "+rule)
	u.Run(t.Context(), "Remember: "+other)

	start := func(prompt string) (told string, isLoaded bool) {
		t.Helper()
		requireGoodRun(t, u.Run(t.Context(), prompt), "SessionStart:startup", "SessionEnd:other")
		request := lastRequest(t, api, prompt)
		told = strings.Join(slices.Concat(request.Injected("SessionStart"), request.Injected("UserPromptSubmit")), "\n")
		if !strings.Contains(told, other) {
			t.Errorf("%s: what no file says is not told:\n%s", prompt, told)
		}
		return told, strings.Contains(request.Text(), "Number database migrations with four digits.")
	}
	if told, isLoaded := start("how are the database migrations numbered?"); !isLoaded || strings.Contains(told, rule) {
		t.Errorf("CLAUDE.md says it (loaded: %v); told was:\n%s", isLoaded, told)
	}
	u.Remove("CLAUDE.md")
	if told, isLoaded := start("and how are database migrations numbered?"); isLoaded || !strings.Contains(told, rule) {
		t.Errorf("CLAUDE.md is gone (loaded: %v); told was:\n%s", isLoaded, told)
	}
	u.Write("AGENTS.md", "# Rules\n\n- Number database migrations with four digits.\n")
	if told, isLoaded := start("but how are database migrations numbered?"); !isLoaded || strings.Contains(told, rule) {
		t.Errorf("AGENTS.md says it (loaded: %v); told was:\n%s", isLoaded, told)
	}
}
