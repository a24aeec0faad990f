package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// tree writes a transcript of Claude Code whose user goes back to earlier prompts.
type tree struct {
	*rapid.T
	lines   []string
	last    string   // the line that the next one follows
	prompts []string // those that hold
	befores []string // the lines that they follow
	said    int      // all prompts
}

// line writes a line that follows another one, and returns its id.
func (w *tree) line(after any, fields string) string {
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(w.lines))
	parent := musttest.Get(json.Marshal(after))(w)
	w.lines = append(w.lines, fmt.Sprintf(`{"parentUuid":%s,"uuid":"%s","sessionId":"s1","cwd":"/home/dev/shop","timestamp":"2026-11-20T10:%02d:%02dZ",%s}`,
		parent, id, len(w.lines)/60%60, len(w.lines)%60, fields))
	return id
}

// says are the fields of a prompt, with its place among the prompts that hold.
func (w *tree) says(text string) string {
	return fmt.Sprintf(`"type":"user","turnPosition":{"promptIndex":%[1]d,"turnIndex":%[1]d},"message":{"content":%[2]q}`, len(w.prompts), text)
}

// happens does one of the things that make branches, or cut the chain of lines.
func (w *tree) happens(what string) {
	switch what {
	case "prompt", "a prompt that follows nothing":
		w.befores, w.prompts = append(w.befores, w.last), append(w.prompts, fmt.Sprint("prompt ", len(w.lines)))
		w.said++
		after := any(w.last)
		if what != "prompt" {
			after = nil
		}
		w.last = w.line(after, w.says(w.prompts[len(w.prompts)-1]))
	case "rewind":
		if at := rapid.IntRange(0, len(w.prompts)).Draw(w.T, "to"); at < len(w.prompts) {
			before := w.befores[at]
			if at == 0 { // the client has no line before the first prompt, and names the last one
				before = rapid.SampledFrom([]string{before, w.last}).Draw(w.T, "names")
			}
			w.last, w.befores, w.prompts = before, w.befores[:at], w.prompts[:at]
			w.happens("prompt")
		}
	case "parallel tools":
		first := w.line(w.last, `"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"make a"}}]}`)
		second := w.line(first, `"type":"assistant","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{"command":"make b"}}]}`)
		results := [2]string{}
		for i, use := range []string{first, second} {
			results[i] = w.line(use, fmt.Sprintf(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%c","content":"done"}]}`, "ab"[i]))
		}
		w.last = results[rapid.IntRange(0, 1).Draw(w.T, "goes on at")]
	case "subagent":
		w.line(w.line(nil, `"isSidechain":true,`+strings.Replace(w.says("task"), `"turnIndex":`, `"turnIndex":1,"was":`, 1)), `"isSidechain":true,"type":"assistant","message":{"content":"found"}`)
	case "compaction": // of the whole conversation, or of what was said from a prompt on or up to it
		from := rapid.SampledFrom(append(w.befores, w.last)).Draw(w.T, "from")
		boundary := w.line(nil, fmt.Sprintf(`"type":"system","subtype":"compact_boundary","logicalParentUuid":%q`, from))
		w.last = w.line(boundary, `"isCompactSummary":true,`+w.says("what was done"))
	case "a cut chain":
		w.last = w.line(rapid.SampledFrom([]any{nil, "99999999-0000-4000-8000-000000000000", 7, map[string]any{}}).Draw(w.T, "parent"), `"type":"assistant","message":{"content":"on"}`)
	case "a late line": // of a branch that may be gone
		w.line(rapid.SampledFrom(append(w.befores, w.last)).Draw(w.T, "after"), `"type":"progress"`)
	}
}

// TestWhatIsTakenBackIsNotImported: of a tree of any form, the prompts from which no later one was taken away are imported.
func TestWhatIsTakenBackIsNotImported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s1.jsonl")
	rapid.Check(t, func(rt *rapid.T) {
		w := &tree{T: rt}
		w.last = w.line(nil, `"type":"system"`)
		for range rapid.IntRange(1, 30).Draw(rt, "events") {
			w.happens(rapid.SampledFrom([]string{"prompt", "a prompt that follows nothing", "rewind", "parallel tools", "subagent", "compaction", "a cut chain", "a late line"}).Draw(rt, "event"))
		}
		musttest.Do(rt, os.WriteFile(file, []byte(strings.Join(w.lines, "\n")+"\n"), 0o600))
		var got, gone []string
		for _, one := range transcripts(t, filepath.Dir(file)) {
			for _, e := range eventsOfTranscript(t, one) {
				switch {
				case e.TakenBack:
					gone = append(gone, e.Prompt)
				case e.Kind == memory.EventPrompt:
					got = append(got, e.Prompt)
				}
			}
		}
		if diff := cmp.Diff(append([]string(nil), w.prompts...), got); diff != "" || len(got)+len(gone) != w.said {
			rt.Errorf("of %d prompts %d are taken back; (-hold +imported):\n%s\n%s", w.said, len(gone), diff, strings.Join(w.lines, "\n"))
		}
	})
}

// TestWhatWasImportedBeforeARewindEnds, but for what was said elsewhere, too, and what somebody brought back.
func TestWhatWasImportedBeforeARewindEnds(t *testing.T) {
	x, folder := newTranscriptImport(t), t.TempDir()
	text := ""
	expect := func(more string, want ...string) {
		t.Helper()
		text += more
		writeFile(t, filepath.Join(folder, "s1.jsonl"), text)
		x.ok(t, folder)
		page := musttest.Get(x.daemon.Answers.List(t.Context(), daemonapi.ListParams{Project: "/home/dev/shop", Limit: 10}))(t)
		var got []string
		for _, m := range page.Memories {
			got = append(got, m.Content)
		}
		slices.Sort(got)
		musttest.Same(t, want, got, "memories (-want +got)")
	}
	line := func(id, after, text string) string {
		return fmt.Sprintf(`{"type":"user","uuid":"%s-0000-4000-8000-000000000000","parentUuid":"%s-0000-4000-8000-000000000000","sessionId":"s1","cwd":"/home/dev/shop","timestamp":"2026-11-20T10:00:0%cZ","message":{"content":%q}}`+"\n", id, after, id[7], text)
	}
	const always, only, fridays, mondays = "From now on we always squash commits.", "From now on we only tag on main.", "From now on we deploy on Fridays.", "From now on we deploy on Mondays."
	expect(line("00000001", "00000000", always)+line("00000002", "00000001", fridays)+line("00000003", "00000002", only+" "+always), always, fridays, only)
	expect(line("00000004", "00000001", mondays), always, mondays)
	rows, err := x.daemon.Answers.List(t.Context(), daemonapi.ListParams{Project: "/home/dev/shop", Limit: 10, Status: memory.StatusArchived})
	if err != nil || len(rows.Memories) != 2 {
		t.Fatalf("%d are archived, %v", len(rows.Memories), err)
	}
	for _, m := range rows.Memories {
		if m.Content == fridays {
			now := time.Now()
			musttest.Get(x.daemon.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "/home/dev/shop", ID: m.ID, Change: memory.Change{ID: memory.NewEventID(now), At: now, By: "cli", Status: memory.StatusActive}}))(t)
		}
	}
	expect(line("00000005", "00000004", "thanks"), always, fridays, mondays)
}
