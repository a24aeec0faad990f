//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// The next session gets a model's fact by its cue, for a prompt in other words than the session's, and none of the log's.
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
