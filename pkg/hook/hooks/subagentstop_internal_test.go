package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
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
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
		if got := taskIn(file); got != "" {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}
