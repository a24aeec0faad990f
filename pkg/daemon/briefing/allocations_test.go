package briefing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// TestTheDaemonAllocatesLittle bounds the allocations of the hooks' requests and events in a
// project of 1,000 memories, including those of the store.
func TestTheDaemonAllocatesLittle(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Counter = daemontest.ExactCounter(t)
	var large []memory.Memory
	for i := range 1000 {
		large = append(large, memory.Memory{
			ID: fmt.Sprintf("%032x", i), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
			Content: fmt.Sprintf("The port of service %d is %d, and its owner is team %d.", i, 1024+i, i%97), Importance: 0.5, CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon,
		})
	}
	musttest.Do(t, storetest.Fill(t.Context(), store, large))
	root := t.TempDir()
	var rules strings.Builder
	for i := range 200 {
		_, _ = fmt.Fprintf(&rules, "- The port of gateway %d is %d.\n", i, 1024+i)
	}
	musttest.Do(t, os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte(rules.String()), 0o600))
	a.Instructions = instructions.New("", a.Now)
	a.Rebuild()
	_, _ = a.Briefing.Index(t.Context(), "p")
	n := 100
	ingest := func(e memory.Event) {
		t.Helper()
		daemontest.Ingested(t, a, e)
	}
	starts := 0
	begun := func() string { // a session starts once
		starts++
		return fmt.Sprint("started ", starts)
	}
	for _, c := range []struct {
		what         string
		count, bytes uint64
		do           func()
	}{
		{"a start", 2_000, 1_000_000, func() { daemontest.StartOf(t, a, begun()) }},
		{"a start beside a CLAUDE.md", 5_000, 1_700_000, func() {
			musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
				Project: "p", Root: root, Session: begun(), Source: "startup", TokenBudget: 1000, Before: "0",
			}))(t)
		}},
		{"a prompt", 120, 60_000, func() {
			musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{
				Purpose: daemonapi.ForPrompt, Project: "p", Root: root, Session: "s1", Text: "which port does service 711 listen on", TokenBudget: 300,
			}))(t)
		}},
		{"a tool's event", 1_400, 120_000, func() {
			n++
			e := daemontest.Event(n, memory.EventCommandSucceeded)
			e.Tool, e.Command, e.Output = "Bash", "go test ./...", "ok"
			ingest(e)
		}},
		{"a prompt's event", 1_450, 120_000, func() { n++; ingest(daemontest.Prompt(n, "make the port of service 711 a setting")) }},
	} {
		t.Run(c.what, func(t *testing.T) { alloctest.AtMost(t, c.count, c.bytes, c.do) })
	}
}
