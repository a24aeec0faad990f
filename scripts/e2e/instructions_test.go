//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Files that the client loads into a session are not injected a second time, until the file is
// gone.
func TestWhatTheClientLoadsIsNotTold(t *testing.T) {
	t.Parallel()
	const (
		rule  = "database migrations are numbered with four digits"
		other = "invoices are rounded to whole cents"
	)
	u, api := newUser(t)
	u.Write("CLAUDE.md", "# Rules\n\n- Database migrations are numbered with four digits.\n")
	u.Run(t.Context(), "Remember: "+rule)
	u.Run(t.Context(), "Remember: "+other)

	// expect starts sessions until one has the expected memories: files are checked at most once a
	// second, and a session can be that short.
	expect := func(when string, isLoaded, isInjected bool) {
		t.Helper()
		injected, loaded := "", false
		for try := range 5 {
			prompt := fmt.Sprintf("%s, asked %d times: how are the database migrations numbered?", when, try+1)
			requireGoodRun(t, u.Run(t.Context(), prompt), "SessionStart:startup", "SessionEnd:other")
			request := lastRequest(t, api, prompt)
			injected = strings.Join(slices.Concat(request.Injected("SessionStart"), request.Injected("UserPromptSubmit")), "\n")
			loaded = strings.Contains(request.Text(), "Database migrations are numbered with four digits.")
			if !strings.Contains(injected, other) {
				t.Errorf("%s: the memory that is in no file is not injected:\n%s", when, injected)
			}
			if loaded == isLoaded && strings.Contains(injected, rule) == isInjected {
				return
			}
		}
		t.Errorf("%s: loaded %v, want %v; want it injected: %v; injected:\n%s", when, loaded, isLoaded, isInjected, injected)
	}
	expect("CLAUDE.md says it", true, false)
	u.Remove("CLAUDE.md")
	expect("CLAUDE.md is gone", false, true)
	u.Write("AGENTS.md", "# Rules\n\n- Database migrations are numbered with four digits.\n")
	expect("AGENTS.md says it", true, false)
}
