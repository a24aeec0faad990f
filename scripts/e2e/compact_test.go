//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestManualCompactionLosesNothing(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Run(t.Context(), remembered)
	notes := filepath.Join(u.Project, "notes.md")
	api.Script("work",
		Call("Write", map[string]any{"file_path": notes, "content": "# Notes\n"}),
		Say("I wrote the notes; the rollout is next."),
	)
	const question = "On which port does the staging database listen?"
	run := u.Chat(t.Context(), []string{"Write the notes. SCRIPT:work", question, "/compact", question}, "--allowedTools", "Write")
	requireGoodRun(t, run, "SessionStart:startup", "PostToolUse:Write", "SubagentStop", "SessionStart:compact", "SessionEnd:other")
	if !slices.Equal(run.Sessions, []string{run.SessionID}) {
		t.Errorf("the compaction changed the session: %q", run.Sessions)
	}

	asked := api.RequestsWith(question)
	before, after := asked[0], asked[len(asked)-1]
	musttest.Same(t, 1, count(before.MemoryBlocks(), fact), "how often the fact stands in memory blocks before the compaction")
	if !strings.Contains(after.Text(), CompactionSummary) {
		t.Fatal("the conversation was not compacted")
	}
	musttest.Same(t, 1, count(after.MemoryBlocks(), fact), "how often the fact stands in memory blocks after the compaction: %q", after.MemoryBlocks())

	record := u.stored(t, run.SessionID)
	requireCompactionStored(t, record)
	if record.Session.Source != "compact" || len(record.Prompts) != 3 {
		t.Errorf("stored is %+v with the prompts %q", record.Session, texts(record.Prompts))
	}
	// A later session gets the summary of the compaction.
	u.Run(t.Context(), "Where were we?")
	if given := lastRequest(t, api, "Where were we?").Injected("SessionStart"); count(given, CompactionSummary[:20]) != 1 {
		t.Errorf("the next session was given %q", given)
	}
}

func TestAutomaticCompactionLosesNothing(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.Run(t.Context(), remembered)
	var steps []Step
	for i, tokens := range []int{8000, 12000, 16000, 20000, 24000, 95000} {
		content := []Block{ToolUse("Bash", map[string]any{"command": "echo " + strings.Repeat("filler ", 400), "description": "Fill"})}
		if i == 0 {
			content = []Block{ToolUse("Write", map[string]any{"file_path": filepath.Join(u.Project, "notes.md"), "content": "x\n"})}
		}
		steps = append(steps, Step{Usage: &Usage{InputTokens: tokens}, Content: content})
	}
	api.Script("fill", steps...)
	run := u.Run(t.Context(), "Fill it up. SCRIPT:fill", "--allowedTools", "Bash,Write", "--autocompact", "100000")
	requireGoodRun(t, run, "SessionStart:startup", "PreCompact:auto", "SubagentStop", "SessionStart:compact", "PostCompact:auto", "SessionEnd:other")

	requests := api.Requests()
	compaction := slices.IndexFunc(requests, func(r Request) bool { return r.Kind == KindCompaction })
	if compaction < 0 || compaction == len(requests)-1 {
		t.Fatalf("request %d of %d asked for a summary", compaction+1, len(requests))
	}
	after := requests[compaction+1]
	musttest.Same(t, 1, count(after.MemoryBlocks(), fact), "how often the fact stands in memory blocks after the compaction: %q", after.MemoryBlocks())
	record := u.stored(t, run.SessionID)
	requireCompactionStored(t, record)
	musttest.Same(t, []string{"1 Fill it up. SCRIPT:fill"}, texts(record.Prompts), "the prompts")
}

// requireCompactionStored wants one compaction, with the summary that the model made of the session and nowhere else.
func requireCompactionStored(t *testing.T, record memory.SessionRecord) {
	t.Helper()
	musttest.Same(t, 1, len(sessionEvents(record, memory.EventCompacting)), "how many beginnings of a compaction are stored")
	musttest.Same(t, []string{CompactionSummary}, sessionEvents(record, memory.EventCompacted), "the summaries")
	found := slices.Concat(seen(record, memory.KindDiscovery), sessionEvents(record, memory.EventSubagentReported))
	if slices.Contains(found, CompactionSummary) { // the fork that writes the summary is no subagent
		t.Error("the compaction left its summary as a memory, or as a subagent's report")
	}
	requireNoRecallStored(t, record)
}
