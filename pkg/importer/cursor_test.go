package importer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// cursorProjects are transcripts that were written from documents, and not by the client: docs/clients.md.
var cursorProjects = filepath.Join("..", "..", "testdata", "cursor", "projects")

func TestCursorsTranscriptsMakeTheEventsThatHooksWouldHaveMade(t *testing.T) {
	want := map[string][]string{
		"5b0d6c1e-8a4f-4f1e-9d8e-2b7f1c3a9e10": { // without results: of commands and subagents nothing is known
			"session_started transcript",
			"prompt Remember: the staging database listens on port 6543.",
			"file_changed rollout.sh replicas=3",
			"file_changed runbook.md # How to deploy Ask Ann first.",
			"file_changed Makefile deploy: test",
			"turn_ended The script is changed; the deployment failed.",
			"prompt Where were we?",
			"turn_ended At the deployment.",
			"session_ended",
		},
		"7c1a2b3d-0e4f-4a5b-8c6d-9e0f1a2b3c4d": {
			"session_started transcript",
			"prompt We never squash commits.",
			"turn_ended Understood.",
			"session_ended",
			"file_changed rollout.sh b", // by the subagent, whose task is no prompt
		},
	}
	if diff := cmp.Diff(want, bySession(t, cursorProjects)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestCursorsTimesAreThoseOfThePromptsOrOfTheFile(t *testing.T) {
	events, _ := eventsOf(t, cursorProjects)
	for _, e := range events {
		if e.Kind != memory.EventPrompt {
			continue
		}
		want := map[string]time.Time{
			"Remember: the staging database listens on port 6543.": time.Date(2026, 9, 8, 20, 56, 0, 0, time.UTC),
			"Where were we?": time.Date(2026, 9, 8, 21, 10, 0, 0, time.UTC),
		}[e.Prompt]
		if want.IsZero() {
			info, err := os.Stat(filepath.Join(cursorProjects, "home-dev-shop", "agent-transcripts", e.Session, e.Session+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			want = info.ModTime().UTC()
		}
		if !e.At.Equal(want) {
			t.Errorf("%q was said at %s, want %s", e.Prompt, e.At, want)
		}
	}
}

// TestNothingIsLostOfCursorsTranscripts counts with a reader that knows the blocks alone.
func TestNothingIsLostOfCursorsTranscripts(t *testing.T) {
	want := map[memory.EventKind]int{}
	for _, one := range transcripts(t, cursorProjects) {
		text, err := os.ReadFile(one.File)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var said struct {
				Role    string
				Message struct {
					Content []struct{ Type, Name, Text string }
				}
			}
			if err := json.Unmarshal([]byte(line), &said); err != nil {
				t.Fatal(err)
			}
			prompts := 0
			for _, block := range said.Message.Content {
				switch {
				case block.Type == "tool_use" && strings.Contains(" Write StrReplace ApplyPatch ", " "+block.Name+" "):
					want[memory.EventFileChanged]++
				case said.Role == "user" && !strings.Contains(one.File, "subagents") && (strings.Contains(block.Text, "<user_query>") || block.Text[0] != '<'):
					prompts = 1
				}
			}
			want[memory.EventPrompt] += prompts
		}
	}
	got := map[memory.EventKind]int{}
	events, _ := eventsOf(t, cursorProjects)
	for _, e := range events {
		if _, counted := want[e.Kind]; counted {
			got[e.Kind]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || want[memory.EventPrompt] != 3 {
		t.Errorf("events by kind (-want +got):\n%s", diff)
	}
}

// TestTheProjectOfCursorsFolderIsFound by its name, if one directory alone can have it.
func TestTheProjectOfCursorsFolderIsFound(t *testing.T) {
	root := t.TempDir()
	dir := func(name string) string {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	known, twice := dir("work/my.shop-api"), dir("two/a-b")
	dir("two/a.b")
	dir("work/my")
	slug := func(path string) string { return strings.TrimLeft(client.Slug(path), "-") }
	home := t.TempDir()
	for folder, want := range map[string]string{slug(known): known, slug(twice): "", slug(root) + "-gone": ""} {
		file := filepath.Join(home, "projects", folder, "agent-transcripts", "s.jsonl")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(`{"role":"user","message":{"content":[{"type":"text","text":"hello"}]}}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		one := importer.Transcript{File: file}
		if err := one.ReadHead(); err != nil || one.Session != "s" || one.Dir != want {
			t.Errorf("%s is of session %q in %q (%v), want %q", folder, one.Session, one.Dir, err, want)
		}
	}
}
