package importer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// codexSessions are transcripts of the real Codex: of version 0.169.0 and of 0.98.0.
var (
	codexSessions = filepath.Join("..", "..", "testdata", "codex", "sessions")
	newSessions   = filepath.Join(codexSessions, "2026", "11", "23")
	oldSessions   = filepath.Join(codexSessions, "2026", "11", "24")
)

// eventsOf are the events of the transcripts in a folder, and how many lines were no JSON.
func eventsOf(t *testing.T, folder string) (events []memory.Event, broken int) {
	t.Helper()
	for _, one := range transcripts(t, folder) {
		where, _ := projectOf(one.Dir)
		reader := importer.Reader{Project: where, Wanted: func(context.Context, string) (bool, error) { return true, nil }}
		some, report, err := reader.Read(t.Context(), one)
		events = append(events, some...)
		if err != nil {
			t.Errorf("%s: %+v, %v", one.File, report, err)
		}
		broken += report.Broken
	}
	for _, e := range events {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
	}
	return events, broken
}

func TestCodexsTranscriptsMakeTheEventsThatHooksWouldHaveMade(t *testing.T) {
	requireEvents(t, newSessions, "01a20ad2-a069-72b0-b69d-5bac553a42aa",
		"session_started transcript",
		"prompt Remember: the staging database listens on port 6543.",
		"command_failed make deploy Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
		"file_changed rollout.sh #!/bin/sh replicas=3",
		"file_changed runbook.md # How to deploy Ask Ann first.",
		"command_succeeded make test",
		"command_failed echo slow; sleep 1; exit 4 Exit code 4 slow",
		"compacted SUMMARY: the deployment failed because the quota is used up.",
		"turn_ended The script is changed; the deployment failed.",
		"prompt Where were we?",
		"turn_ended The deployment failed.",
		"session_ended",
		"subagent_reported explorerFind out who calls deploy() deploy() is called by main.go alone.",
	)
}

func TestTranscriptsOfAnOlderCodexAreUnderstood(t *testing.T) {
	requireEvents(t, oldSessions, "01a20ae5-3789-7240-81ff-916da3ba535e",
		"session_started transcript",
		"prompt Remember: the old database listens on port 5432.",
		"command_failed make deploy Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
		"file_changed rollout.sh replicas=3",
		"file_changed runbook.md # How to deploy",
		"command_succeeded make test",
		"turn_ended The script is changed; the deployment failed.",
		"session_ended",
	)
}

func requireEvents(t *testing.T, folder, session string, want ...string) {
	t.Helper()
	events, _ := eventsOf(t, folder)
	var got []string
	for _, e := range events {
		if e.Project.Key != "/home/dev/shop" || e.Session != session {
			t.Errorf("%s is of %s, session %s", e.Kind, e.Project.Key, e.Session)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, memory.OneLine(e.Source+e.Prompt+e.File+e.Command+" "+e.Error+e.Text+e.After))))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// counts are the results of an independent reader, which uses only the names of fields.
type counts struct{ Prompts, Failed, Succeeded, Files, Compacted, Reports int }

func countedIn(t *testing.T, folder string) (c counts) {
	t.Helper()
	for _, one := range transcripts(t, folder) {
		text, err := os.ReadFile(one.File)
		if err != nil {
			t.Fatal(err)
		}
		isSubagent := strings.Contains(strings.SplitN(string(text), "\n", 2)[0], `"subagent"`)
		isOld := !strings.Contains(string(text), `"item_completed"`)
		for line := range strings.Lines(string(text)) {
			var all any
			if json.Unmarshal([]byte(line), &all) != nil {
				continue
			}
			walk(all, func(object map[string]any) {
				switch object["type"] {
				case "UserMessage", "user_message":
					if !isSubagent {
						c.Prompts++
					}
				case "CommandExecution":
					switch code, _ := object["exit_code"].(float64); {
					case code > 0:
						c.Failed++
					case code == 0:
						c.Succeeded++
					}
				case "FileChange":
					c.Files += len(object["changes"].(map[string]any))
				case "custom_tool_call":
					if patch := fmt.Sprint(object["input"]); isOld {
						c.Files += strings.Count(patch, "*** Update File: ") + strings.Count(patch, "*** Add File: ")
					}
				case "function_call_output":
					if output := fmt.Sprint(object["output"]); isOld && strings.Contains(output, "exited with code 0") {
						c.Succeeded++
					} else if isOld {
						c.Failed++
					}
				case "compacted":
					c.Compacted++
				case "task_complete":
					if isSubagent {
						c.Reports++
					}
				}
			})
		}
	}
	return c
}

func walk(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(v)
		for _, child := range v {
			walk(child, visit)
		}
	case []any:
		for _, child := range v {
			walk(child, visit)
		}
	}
}

func TestNothingOfCodexsTranscriptsIsLost(t *testing.T) {
	var got counts
	events, _ := eventsOf(t, codexSessions)
	for _, e := range events {
		switch e.Kind {
		case memory.EventPrompt:
			got.Prompts++
		case memory.EventCommandFailed:
			got.Failed++
		case memory.EventCommandSucceeded:
			got.Succeeded++
		case memory.EventFileChanged:
			got.Files++
		case memory.EventCompacted:
			got.Compacted++
		case memory.EventSubagentReported:
			got.Reports++
		default:
		}
	}
	if want := countedIn(t, codexSessions); got != want {
		t.Errorf("imported %+v, an independent reader counts %+v", got, want)
	}
}

func TestImportingCodexTwiceChangesNothing(t *testing.T) {
	x := newTranscriptImport(t)
	if result, report := x.ok(t, codexSessions); result.Files == 0 || report.Added == 0 || result.BrokenLines != 0 {
		t.Errorf("first run: %+v %+v", result, report)
	}
	if result, report := x.ok(t, codexSessions); result.Files != 0 || report.Added != 0 || report.Events != 0 {
		t.Errorf("second run: %+v %+v", result, report)
	}
	x.edit = func(i *importer.TranscriptImport) { i.Again = true }
	if _, report := x.ok(t, codexSessions); report.Added != 0 {
		t.Errorf("again: %+v", report)
	}
}

// TestAProjectThatIsForgottenIsReadAgain: a folder of Codex has the transcripts of all projects of a day.
func TestAProjectThatIsForgottenIsReadAgain(t *testing.T) {
	x := newTranscriptImport(t)
	x.ok(t, codexSessions)
	state, err := importer.LoadState(x.state)
	if err != nil {
		t.Fatal(err)
	}
	files := len(state.Files)
	keyOf := func(dir string) string { return dir }
	state.Forget("/home/dev/other", keyOf)
	if len(state.Files) != files {
		t.Errorf("%d of %d files are left", len(state.Files), files)
	}
	state.Forget("/home/dev/shop", keyOf)
	if len(state.Files) != 0 {
		t.Errorf("left are %v", state.Files)
	}
}

func TestHostileRolloutsArePassedOver(t *testing.T) {
	folder := t.TempDir()
	lines := []string{
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/home/dev/shop"}}`,
		`[]`, `{`, `null`, `{"type":5}`,
		`{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":[]}`,
		`{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"a","command":[],"exit_code":null}}}`,
		`{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","id":"b","status":"completed","changes":{"":{"type":"add"}}}}}`,
		`{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":5}"}}`,
		`{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":{"no":"text"}}}`,
		`{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"a prompt <surrealdb-memory>told before</surrealdb-memory>"}}`,
		`{"timestamp":"2026-01-01T00:00:02Z","type":"session_meta","payload":{"id":"other","cwd":"/"}}`,
	}
	if err := os.WriteFile(filepath.Join(folder, "rollout-x.jsonl"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	events, broken := eventsOf(t, folder)
	var prompts []string
	for _, e := range events {
		if e.Kind == memory.EventPrompt {
			prompts = append(prompts, e.Session+": "+e.Prompt)
		}
	}
	if diff := cmp.Diff([]string{"s: a prompt"}, prompts); diff != "" || broken != 2 {
		t.Errorf("%d lines are broken; prompts (-want +got):\n%s", broken, diff)
	}
}
