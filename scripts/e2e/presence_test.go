//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Renaming a file removes the fact that names it from the next session's start, and renaming it back restores the fact.
// A request for the fact names the missing file.
func TestARenamedFileTakesItsFactOutOfTheStart(t *testing.T) {
	t.Parallel()
	u, api := newUser(t)
	u.distills("MEMORY_DISTILL_CRON=")
	const title, text = "Exports join on the session", "The query of the export in export.sql joins on the session, because guests have no account."
	run := exporting(t, u, api, written(map[string]any{
		"text": text, "title": title, "area": "exports",
		"kind": "convention", "quotes": []string{exportRule}, "about": "", "relation": "", "importance": 3,
	}))
	u.stored(t, run.SessionID)
	u.queued(t, run.SessionID, "the session to be distilled", isDone)

	api.Script("look", Say("I look into it."))
	isGiven := func(number string) bool {
		t.Helper()
		prompt := "Session " + number + " begins. SCRIPT:look"
		requireGoodRun(t, u.Run(t.Context(), prompt), "SessionStart:startup", "SessionEnd:other")
		start := strings.Join(lastRequest(t, api, prompt).Injected("SessionStart"), "\n")
		return strings.Contains(start, title) || strings.Contains(start, text)
	}
	// noticed waits until the fact names the missing file, or none.
	noticed := func(gone string) {
		t.Helper()
		await(t, time.Minute, "the fact to say that "+gone+" is gone", func() bool {
			var all, found []memory.Memory
			u.memory(t, &all, "list")
			at := slices.IndexFunc(all, func(m memory.Memory) bool { return m.Title == title })
			if at < 0 {
				return false
			}
			u.memory(t, &found, "show", all[at].ID)
			return len(found) == 1 && (found[0].Gone == "") == (gone == "") && strings.HasPrefix(found[0].Gone, gone)
		})
	}
	if !isGiven("two") {
		t.Error("the start has not the fact")
	}
	// Only a file that was found once can be missing: the checkout is scanned in the background.
	await(t, time.Minute, "export.sql to be found in the checkout", func() bool {
		record, _ := os.ReadFile(paths.Layout{Home: u.MemoryHome}.Absences())
		return bytes.Contains(record, []byte("export.sql"))
	})
	file := filepath.Join(u.Project, "export.sql")
	if err := os.Rename(file, filepath.Join(u.Project, "report.sql")); err != nil {
		t.Fatal(err)
	}
	isGiven("three") // the checkout is looked at when something happens in it
	noticed("export.sql")
	if isGiven("four") {
		t.Error("the start has a fact whose file was renamed")
	}
	if err := os.Rename(filepath.Join(u.Project, "report.sql"), file); err != nil {
		t.Fatal(err)
	}
	isGiven("five")
	noticed("")
	if !isGiven("six") {
		t.Error("the start has not the fact whose file is back")
	}
}
