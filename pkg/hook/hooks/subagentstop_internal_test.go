package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTaskStandsInARealTranscript(t *testing.T) {
	if got := taskIn(filepath.Join("..", "..", "..", "testdata", "hook-input", "transcript-subagent.jsonl")); got != "do the task do it" {
		t.Errorf("the task is %q", got)
	}
}

func TestUnknownInputIsNoTask(t *testing.T) {
	if got := taskIn(filepath.Join(t.TempDir(), "none.jsonl")); got != "" {
		t.Errorf("without a file: %q", got)
	}
	for _, text := range []string{
		"", "{", "[]\n", `{"type":"assistant","message":{"content":"no task"}}` + "\n",
		`{"type":"user","message":{"content":[{"type":"text"}]}}` + "\n", `{"type":"user","message":{"content":"` + strings.Repeat("x", 1<<20) + `"}}` + "\n",
	} {
		file := filepath.Join(t.TempDir(), "transcript.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := taskIn(file); got != "" {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}
