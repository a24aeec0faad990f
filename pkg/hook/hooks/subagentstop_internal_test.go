package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestTheTaskStandsInARealTranscript(t *testing.T) {
	musttest.Same(t, "do the task do it", taskIn(filepath.Join("..", "..", "..", "testdata", "hook-input", "transcript-subagent.jsonl")), "the task")
}

func TestUnknownInputIsNoTask(t *testing.T) {
	musttest.Same(t, "", taskIn(filepath.Join(t.TempDir(), "none.jsonl")), "without a file")
	for _, text := range []string{
		"", "{", "[]\n", `{"type":"assistant","message":{"content":"no task"}}` + "\n",
		`{"type":"user","message":{"content":[{"type":"text"}]}}` + "\n", `{"type":"user","message":{"content":"` + strings.Repeat("x", 1<<20) + `"}}` + "\n",
	} {
		file := filepath.Join(t.TempDir(), "transcript.jsonl")
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
		musttest.Same(t, "", taskIn(file), "%.40q", text)
	}
}
