//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A model's facts replace the log: the next session's prompt, in other words than the
// session's, gets the fact by its cue, and none of the session's cards and statements;
// undo restores these.
func TestAFactTakesThePlaceOfTheLog(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills(t)
	run := exporting(t, u, api, written(map[string]any{
		"text": exportFact, "kind": "convention", "quotes": []string{exportRule}, "about": "", "relation": "", "importance": 3,
		"cues": []string{"buyers without an account are missing in the spreadsheet", "export.sql"},
	}))
	u.stored(t, run.SessionID)
	u.queued(t, run.SessionID, "the session to be distilled", isDone)

	const prompt = "Some buyers without an account are missing in the spreadsheet again, please find out why. SCRIPT:spreadsheet"
	api.Script("spreadsheet", Say("I look into it."))
	next := u.Run(t.Context(), prompt)
	requireGoodRun(t, next, "SessionStart:startup", "SessionEnd:other")
	told := ""
	for _, r := range api.Requests() {
		if strings.Contains(r.Text(), "spreadsheet again") {
			told = strings.Join(r.MemoryBlocks(), "\n")
		}
	}
	if !strings.Contains(told, exportFact) {
		t.Errorf("the session was told\n%s", told)
	}
	for _, log := range []string{exportRule, "joins on the session now"} {
		if strings.Contains(told, log) {
			t.Errorf("the session was told %q of the log\n%s", log, told)
		}
	}

	var runs []memory.Run
	u.memory(t, &runs, "consolidate", "runs")
	runs = slices.DeleteFunc(runs, func(r memory.Run) bool { return r.Job != "distill" })
	if len(runs) != 1 || runs[0].Changed == 0 {
		t.Fatalf("the runs are %+v", runs)
	}
	u.memory(t, nil, "undo", runs[0].ID)
	var found []memory.Memory
	u.memory(t, &found, "list")
	if !holds(found, "never join the export") {
		t.Errorf("after the undo the memories are %+v", found)
	}
}

func holds(all []memory.Memory, words string) bool {
	for _, m := range all {
		if strings.Contains(m.Content, words) {
			return true
		}
	}
	return false
}
