//go:build e2e

package e2e

import (
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
	if strings.Contains(told, "joins on the session now") {
		t.Errorf("the session was told the words of the log\n%s", told)
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
