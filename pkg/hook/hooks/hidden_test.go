package hooks_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// The words of a text that may be kept, and those that must not be.
const (
	visibleWord = "Vis1bleWord"
	hiddenWord  = "H1ddenWord"
)

// placements are all the places from which a hook captures text.
var placements = map[string]func(text string) fields{
	"prompt":        prompt,
	"Write content": func(x string) fields { return toolUse("Write", fields{"file_path": "/p/a.txt", "content": x}, nil) },
	"Edit old": func(x string) fields {
		return toolUse("Edit", fields{"file_path": "/p/a.txt", "old_string": x, "new_string": "b"}, nil)
	},
	"Edit new": func(x string) fields {
		return toolUse("Edit", fields{"file_path": "/p/a.txt", "old_string": "a", "new_string": x}, nil)
	},
	"NotebookEdit": func(x string) fields {
		return toolUse("NotebookEdit", fields{"notebook_path": "/p/a.ipynb", "new_source": x}, nil)
	},
	"failing command":        func(x string) fields { return bashFailure("make test # "+x, "Exit code 1", false) },
	"failure":                func(x string) fields { return bashFailure("make test", "Exit code 1\n"+x, false) },
	"other tool's input":     func(x string) fields { return toolUse("mcp__x__say", fields{"text": x}, nil) },
	"other tool's object":    func(x string) fields { return toolUse("mcp__x__say", fields{"a": x, "b": 1}, nil) },
	"other tool's answer":    func(x string) fields { return answered("mcp__x__say", x) },
	"other tool's blocks":    func(x string) fields { return answered("mcp__x__say", []any{fields{"type": "text", "text": x}}) },
	"subagent's tool result": func(x string) fields { return answered("Agent", reported(x)) },
	"tool result in halves":  func(x string) fields { return answered("Agent", reported(halves(x)...)) },
	"subagent's last words": func(x string) fields {
		return at(hookio.SubagentStop, fields{"agent_type": "helper", "last_assistant_message": x})
	},
	"subagent's type": func(x string) fields {
		return at(hookio.SubagentStop, fields{"agent_type": x, "last_assistant_message": visibleWord})
	},
	"task subject": func(x string) fields { return at(hookio.TaskCompleted, fields{"task_subject": x}) },
	"task description": func(x string) fields {
		return at(hookio.TaskCompleted, fields{"task_subject": visibleWord, "task_description": x})
	},
	"teammate's name": func(x string) fields {
		return at(hookio.TaskCompleted, fields{"task_subject": visibleWord, "teammate_name": x})
	},
	"last words":   func(x string) fields { return at(hookio.Stop, fields{"last_assistant_message": x}) },
	"API error":    func(x string) fields { return at(hookio.StopFailure, fields{"error": x}) },
	"notification": func(x string) fields { return at(hookio.Notification, fields{"notification_type": x}) },
	"summary":      func(x string) fields { return at(hookio.PostCompact, fields{"compact_summary": x}) },
	"summary in its tag": func(x string) fields {
		return at(hookio.PostCompact, fields{"compact_summary": "<summary>" + x + "</summary>"})
	},
	"thoughts before it": func(x string) fields {
		return at(hookio.PostCompact, fields{"compact_summary": visibleWord + x + "<summary>" + visibleWord + "</summary>"})
	},
}

func answered(tool string, response any) fields {
	return at(hookio.PostToolUse, fields{"tool_name": tool, "tool_input": fields{"text": visibleWord}, "tool_response": response})
}

func reported(texts ...string) fields {
	blocks := []any{}
	for _, text := range texts {
		blocks = append(blocks, fields{"type": "text", "text": text})
	}
	return fields{"status": "completed", "agentType": "helper", "content": blocks}
}

// halves splits a text at a blank near its middle, if there is one.
func halves(text string) []string {
	if i := strings.IndexByte(text[len(text)/2:], ' '); i >= 0 {
		return []string{text[:len(text)/2+i], text[len(text)/2+i:]}
	}
	return []string{text}
}

// hiding draws a text that begins with a visible word and has hidden ones in
// elements of all three kinds: nested, with attributes, in any case, without end.
func hiding(t *rapid.T) string {
	var text strings.Builder
	text.WriteString(visibleWord + " ")
	for range rapid.IntRange(0, 5).Draw(t, "parts") {
		if rapid.Bool().Draw(t, "isHidden") {
			text.WriteString(element(t, 2))
		} else {
			text.WriteString(rapid.SampledFrom([]string{visibleWord, " ", "\n", "<b>", "</b> ", "</summary>", "<summary>", "a < b ", "\"", "😀"}).Draw(t, "visible"))
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "unclosed") == 0 {
		text.WriteString("<private> " + hiddenWord)
	}
	return text.String()
}

func element(t *rapid.T, depth int) string {
	name := rapid.SampledFrom([]string{"private", "system-reminder", "surrealdb-memory", "Private", "SYSTEM-REMINDER", "SurrealDB-Memory"}).Draw(t, "name")
	inner := hiddenWord
	for range rapid.IntRange(0, 2).Draw(t, "inner") {
		if depth > 0 && rapid.Bool().Draw(t, "isNested") {
			inner += element(t, depth-1)
		}
		inner += rapid.SampledFrom([]string{" " + hiddenWord + " ", "\n", "</b>", "<summary>", "</summary>", "- "}).Draw(t, "content") + hiddenWord
	}
	open := "<" + name + rapid.SampledFrom([]string{">", " kind=\"x\">", "\n>"}).Draw(t, "open")
	return open + inner + "</" + name + rapid.SampledFrom([]string{">", " >"}).Draw(t, "close")
}

// Nothing that is private, ours or the client's own reaches the disk, whichever hook captures it and wherever it stands.
func TestNothingHiddenReachesTheSpool(t *testing.T) {
	for name, place := range placements {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).patient()
			startDaemon(t, w, "") // so that no hook tries to start one
			rapid.Check(t, func(t *rapid.T) {
				text := hiding(t)
				written, logged := capturedOf(t, w, place(text))
				if strings.Contains(written, hiddenWord) || strings.Contains(logged, hiddenWord) {
					t.Fatalf("%q comes back in %s, logged %q", text, written, logged)
				}
				if !strings.Contains(strings.TrimSuffix(text, " "), "<") && !strings.Contains(written, visibleWord) {
					t.Fatalf("%q is lost: %q", text, written)
				}
			})
		})
	}
}

// capturedOf runs the hook that serves the input, and returns all that it left in
// the home beside the daemon's files, which it deletes.
func capturedOf(t *rapid.T, w *world, input fields) (spooled, logged string) {
	t.Helper()
	data := musttest.Get(json.Marshal(input))(t)
	for _, h := range served {
		if h.Event == input["hook_event_name"] {
			hook.Run(h, w.process(h, string(data), io.Discard, io.Discard))
		}
	}
	files := musttest.Get(filepath.Glob(filepath.Join(w.layout().Spool(), "*", "*")))(t)
	for _, file := range append(files, w.layout().HookLog()) {
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue
		}
		musttest.Do(t, err)
		musttest.Do(t, os.Remove(file))
		if file == w.layout().HookLog() {
			logged += string(text)
		} else {
			spooled += string(text)
		}
	}
	return spooled, logged
}

// Texts are redacted before they are shortened: a cut may part a secret, or hidden words from the tag in front of them.
func TestTextsAreRedactedBeforeTheyAreCut(t *testing.T) {
	// Each limit of a text falls into a token, near enough to its beginning that the rest does not look like one.
	long := strings.Repeat("x", 20) + strings.Repeat(strings.Repeat(" ", 10)+githubToken, 240) + "<private>" + strings.Repeat(hiddenWord+" ", 1500) + "</private>"
	inputs := map[string][]fields{"output": {bashFailure("bin/serve", "Exit code 2", false), bash("bin/serve", long)}}
	for name, place := range placements {
		inputs[name] = []fields{place(long)}
	}
	for name, inputs := range inputs {
		w := newWorld(t)
		startDaemon(t, w, "")
		for _, input := range inputs {
			runInProcess(t, w, toJSON(t, input))
		}
		for _, event := range w.spooled(t) {
			if text := toJSON(t, event); strings.Contains(text, hiddenWord) || strings.Contains(text, githubToken[:4]) {
				t.Errorf("%s: kept is %.3000s", name, text)
			}
		}
	}
}
