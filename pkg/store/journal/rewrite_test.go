package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

func secretEvent(n int) journal.Record {
	prompt := promptOf(event(n))
	prompt.Text = "the code is zebra-crossing"
	return recordOf(prompt)
}

func withoutZebra(r journal.Record) (journal.Record, bool) {
	prompt, isPrompt := r.After.(memory.Prompt)
	if !isPrompt || !strings.Contains(prompt.Text, "zebra") {
		return r, false
	}
	prompt.Text = "[redacted:test]"
	r.After = prompt
	return r, true
}

func TestRewriteChangesRecordsForGood(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	appendTo(t, j, event(1), secretEvent(2))
	c.at = noon(2)
	appendTo(t, j, event(3)) // a segment of its own
	musttest.Do(t, j.Compact(100))
	appendTo(t, j, secretEvent(4), recordOf(memory.ActiveDay{Project: "p", Day: "x"}))
	before, _ := read(t, j.Dir(), "")
	for _, apply := range []bool{false, true} {
		done, err := j.Rewrite(apply, false, withoutZebra)
		if err != nil || done.Records != 2 || done.Lost != 0 {
			t.Fatalf("apply %v: %+v, %v", apply, done, err)
		}
	}
	after, report := read(t, j.Dir(), "")
	if len(after) != len(before) || len(report.Problems) > 0 {
		t.Fatalf("%d records of %d, %v", len(after), len(before), report.Problems)
	}
	for i, r := range after {
		want, _ := withoutZebra(before[i])
		musttest.Same(t, want, r, "record %d (-want +got)", i)
	}
	appendTo(t, j, event(5)) // it still accepts records
	if all, _ := read(t, j.Dir(), ""); len(all) != len(before)+1 {
		t.Errorf("%d records after one more, want %d", len(all), len(before)+1)
	}
	if done, err := j.Rewrite(true, false, withoutZebra); err != nil || done.Records != 0 {
		t.Errorf("a second run: %+v, %v", done, err)
	}
}

func TestRewriteDropsUnreadableLines(t *testing.T) {
	c := &clock{noon(1)}
	j := open(t, c)
	appendTo(t, j, secretEvent(1), event(2))
	musttest.Do(t, j.Close())
	files, err := filepath.Glob(filepath.Join(j.Dir(), "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text := musttest.Get(os.ReadFile(files[0]))(t)
	musttest.Do(t, os.WriteFile(files[0], append(text, "{zebra-crossing\n"...), 0o600))
	done, err := journal.New(j.Dir(), c.now).Rewrite(true, false, withoutZebra)
	if err != nil || done.Records != 1 || done.Lost != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	all, report := read(t, j.Dir(), "")
	if len(all) != 2 || len(report.Problems) != 0 || promptOf(all[1]) != promptOf(event(2)) {
		t.Errorf("%d records, %v", len(all), report.Problems)
	}
}

// TestAForgottenTextIsNotWrittenOnceMore: the record of a memory that is archived has no text; other changes have it.
func TestAForgottenTextIsNotWrittenOnceMore(t *testing.T) {
	before := memory.Row{Memory: memory.Memory{ID: "a", Status: memory.StatusActive, Content: "the text", Detail: "all of it"}}
	for status, want := range map[memory.Status]string{memory.StatusArchived: "", memory.StatusActive: "the text", memory.StatusConsolidated: "the text"} {
		after := before
		after.Memory.Status, after.Memory.Detail = status, "Archived on 2026-11-29: moved\n"+before.Memory.Detail
		records := journal.Records(memory.Write{Rows: []memory.RowChange{{Before: before, After: after}}})
		if got := records[0].After.(memory.Row).Memory; got.Content != want || got.Status != status || strings.Contains(got.Detail, "all of it") != (want != "") {
			t.Errorf("%s: %+v", status, got)
		}
	}
}
