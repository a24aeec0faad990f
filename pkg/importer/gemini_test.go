package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// geminiChats are transcripts of the real Gemini CLI: of version 0.61.0, and of 0.20.0 in the folder with a sum for
// its name.
var geminiChats = filepath.Join("..", "..", "testdata", "gemini", "tmp")

func TestGeminisTranscriptsMakeTheEventsThatHooksWouldHaveMade(t *testing.T) {
	got := bySession(t, geminiChats)
	want := map[string][]string{
		"83bfeb2f-ba37-45f6-b077-ebd3acdac5c5": {
			"session_started transcript",
			"prompt Remember: the staging database listens on port 6543. SCRIPT:work",
			"command_failed make deploy Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
			"file_changed rollout.sh replicas=3",
			"file_changed runbook.md # How to deploy Ask Ann first.",
			"command_succeeded make test",
			"tool_used Makefile",
			"turn_ended The script is changed; the deployment failed.",
			"prompt Where were we?",
			"turn_ended Done.",
			"session_ended",
		},
		"4753871a-c397-49ce-bb0a-3094688b9ed6": {
			"command_succeeded make lint", // by a subagent
			"session_started transcript",
			"prompt Ask an agent: SCRIPT:agent",
			`subagent_reported generalistFind out who calls deploy() SCRIPT:find { "response": "deploy() is called by main.go alone." }`,
			"turn_ended The agent said so.",
			"session_ended",
		},
		"f40b2040-2ac6-4ccb-b2b6-c34218dbf0f9": { // an edit that failed
			"session_started transcript",
			"prompt Try it: SCRIPT:bad",
			"turn_ended Fine.",
			"session_ended",
		},
		"70f650a9-349a-4763-be0f-f40cc9c8f651": { // of the old version, which is one JSON object
			"session_started transcript",
			"prompt Remember: the old database listens on port 5432. SCRIPT:work",
			"file_changed rollout.sh replicas=3",
			"file_changed runbook.md # How to deploy Ask Ann first.",
			"command_succeeded make test",
			"turn_ended The script is changed; the deployment failed.",
			"session_ended",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// bySession are the events of a folder's transcripts, one line each.
func bySession(t *testing.T, folder string) map[string][]string {
	t.Helper()
	events, broken := eventsOf(t, folder)
	if broken > 0 {
		t.Errorf("%d lines are broken", broken)
	}
	all := map[string][]string{}
	for _, e := range events {
		if e.Project.Key != "/home/dev/shop" {
			t.Errorf("%s is of %s", e.Kind, e.Project.Key)
		}
		line := strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, memory.OneLine(e.Source+e.Prompt+e.File+e.Command+" "+e.Error+e.Text+e.After)))
		all[e.Session] = append(all[e.Session], line)
	}
	return all
}

// TestNothingIsLostOfGeminisTranscripts counts with a reader of its own that uses only the names of fields.
func TestNothingIsLostOfGeminisTranscripts(t *testing.T) {
	want := map[memory.EventKind]int{}
	err := filepath.WalkDir(geminiChats, func(path string, _ os.DirEntry, err error) error {
		if text, readErr := os.ReadFile(path); err == nil && readErr == nil && strings.HasPrefix(filepath.Ext(path), ".json") {
			countGemini(string(text), filepath.Ext(path) == ".json", want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[memory.EventKind]int{}
	events, _ := eventsOf(t, geminiChats)
	for _, e := range events {
		if _, counted := want[e.Kind]; counted {
			got[e.Kind]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events by kind (-want +got):\n%s", diff)
	}
}

func countGemini(text string, isWhole bool, counts map[memory.EventKind]int) {
	lines := strings.Split(text, "\n")
	if isWhole {
		lines = []string{text}
	}
	seen := map[any]bool{}
	isSubagent := strings.Contains(lines[0], `"kind":"subagent"`)
	for _, line := range lines {
		var all any
		if json.Unmarshal([]byte(line), &all) != nil {
			continue
		}
		walk(all, func(object map[string]any) {
			result := fmt.Sprint(object["result"])
			switch {
			case object["type"] == "user" && !isSubagent && !strings.Contains(fmt.Sprint(object["content"]), "functionResponse") &&
				!strings.Contains(fmt.Sprint(object["content"]), "<session_context>"):
				counts[memory.EventPrompt]++
			case object["status"] != "success" || object["args"] == nil || seen[object["id"]]: // a message repeats
			default:
				seen[object["id"]] = true
				countGeminiCall(object, result, counts)
			}
		})
	}
}

func countGeminiCall(object map[string]any, result string, counts map[memory.EventKind]int) {
	switch {
	case object["name"] == "replace" || object["name"] == "write_file":
		counts[memory.EventFileChanged]++
	case object["name"] == "run_shell_command" && strings.Contains(result, "Exit Code: 2"):
		counts[memory.EventCommandFailed]++
	case object["name"] == "run_shell_command" && strings.Contains(fmt.Sprint(object["args"]), "make"):
		counts[memory.EventCommandSucceeded]++
	case object["name"] == "invoke_agent":
		counts[memory.EventSubagentReported]++
	}
}

// TestAnOddChatOfGeminiIsReadAsFarAsItGoes: a truncated line, no lines at all, an unknown folder.
func TestAnOddChatOfGeminiIsReadAsFarAsItGoes(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		dir           string
		broken        int
	}{
		"cut":          {"session-1.jsonl", "{\"sessionId\":\"s\",\"kind\":\"main\",\"directories\":[\"/home/dev/shop\"]}\n{\"id\":\"1\",\"type\":\"us\n", "/home/dev/shop", 1},
		"empty":        {"session-1.jsonl", "", "", 0},
		"whole, cut":   {"session-1.json", "{\n\"sessionId\":\"s\",\n", "", 2},
		"odd shapes":   {"session-1.jsonl", "{\"sessionId\":\"s\",\"directories\":[\"/home/dev/shop\"]}\n{\"id\":\"1\",\"type\":\"gemini\",\"content\":7,\"toolCalls\":[{\"id\":\"c\",\"name\":\"run_shell_command\",\"status\":\"success\",\"args\":[],\"result\":[{}]}]}\n", "/home/dev/shop", 1},
		"unknown home": {"session-1.json", `{"sessionId":"s","projectHash":"00","messages":[]}`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			chats := filepath.Join(folder, "tmp", "x", "chats")
			if err := os.MkdirAll(chats, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(chats, c.file), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if all := transcripts(t, folder); len(all) != 1 || all[0].Dir != c.dir {
				t.Errorf("the transcripts are %+v", all)
			}
			if _, broken := eventsOf(t, folder); broken != c.broken {
				t.Errorf("%d lines are broken, want %d", broken, c.broken)
			}
		})
	}
}
