package cli

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestAPinIsAdvisedWhereItHelps: not where a start has room for no line at all.
func TestAPinIsAdvisedWhereItHelps(t *testing.T) {
	for budget, want := range map[int]bool{0: false, 60: false, 130: true, 2000: true} {
		m := shownMemory{Why: &daemonapi.Explanation{Start: daemonapi.StartFate{Budget: budget, Reason: daemonapi.NoRoom, Why: "no room"}}}
		m.Memory = memory.Memory{ID: strings.Repeat("a", 32)}
		if got := atStart(&idle().environment, m); strings.Contains(got, "--pin") != want {
			t.Errorf("a start of %d tokens: %q", budget, got)
		}
	}
}
