package cli

import (
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestAPinIsAdvisedWhereItHelps: not where a start has room for no line at all, nor for a memory with a pin.
func TestAPinIsAdvisedWhereItHelps(t *testing.T) {
	for used, pinned := range map[int]bool{0: false, 120: false, 121: true} {
		m := shownMemory{Why: &daemonapi.Explanation{Start: daemonapi.StartVerdict{Budget: 130, Tokens: used, LeftOut: daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: "no room"}}}}
		m.Memory = memory.Memory{ID: strings.Repeat("a", 32), Pinned: pinned}
		musttest.Same(t, used > 0 && !pinned, strings.Contains(atStart(m), "--pin"), "a start that uses %d tokens, pinned: %v", used, pinned)
	}
}
